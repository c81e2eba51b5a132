// The sections of the settings, in the order of their list.
import { m } from "../../paraglide/messages";
import type { SettingsSection } from "../../state/navigation.svelte";

export const SECTIONS: readonly SettingsSection[] = [
  "models",
  "servers",
  "look",
  "notifications",
  "limits",
  "data",
  "shortcuts",
  "about",
];

/** What a section is called in the list and as its heading. */
export function sectionName(section: SettingsSection): string {
  switch (section) {
    case "models":
      return m.models();
    case "servers":
      return m.servers();
    case "look":
      return m.look();
    case "notifications":
      return m.attention();
    case "limits":
      return m.limits();
    case "data":
      return m.your_data();
    case "shortcuts":
      return m.keyboard();
    case "about":
      return m.about();
    default:
      return section satisfies never;
  }
}
