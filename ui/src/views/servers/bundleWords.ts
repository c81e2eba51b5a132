// The words for what a bundle says of itself.
import type { BundleKind, BundleSetting } from "../../host/bindings";
import { listed, number } from "../../features/text/format";
import { visible } from "../../features/text/escapes";
import { m } from "../../paraglide/messages";

export function bundleKindWords(kind: BundleKind): string {
  switch (kind) {
    case "node":
      return m.bundle_kind_node();
    case "python":
      return m.bundle_kind_python();
    case "binary":
      return m.bundle_kind_binary();
    case "uv":
      return m.bundle_kind_uv();
    default:
      return kind satisfies never;
  }
}

/** Systems as manifests name them, which is as Node.js does. */
const SYSTEMS = new Map([
  ["darwin", "macOS"],
  ["win32", "Windows"],
  ["linux", "Linux"],
]);

/** The systems that a bundle is made for. */
export function systemNames(platforms: string[]): string {
  return listed(platforms.map((platform) => SYSTEMS.get(platform) ?? visible(platform)));
}

/** The range of a number; nothing where any is possible. */
function rangeWords({ min, max }: BundleSetting): string | null {
  if (min !== null && max !== null) return m.bundle_range({ min: number(min), max: number(max) });
  if (min !== null) return m.bundle_range_min({ min: number(min) });
  if (max !== null) return m.bundle_range_max({ max: number(max) });
  return null;
}

/** What stands below the field of a value. */
export function settingHint(setting: BundleSetting): string {
  const parts = [
    setting.description === "" ? null : visible(setting.description),
    rangeWords(setting),
    setting.multiple ? m.bundle_lines() : null,
    setting.sensitive && setting.on_command_line ? m.bundle_on_command_line() : null,
    setting.required ? m.fill_needed() : m.fill_optional(),
  ];
  return parts.filter((part) => part !== null).join(" · ");
}
