// What servers offer besides tools, as one list the user can search.
import type { OffersView, ServerView } from "../../host/bindings";

/** One thing that can be picked. */
export interface Offer {
  kind: "prompt" | "resource" | "pattern";
  server: ServerView;
  /** The server's own name or address for it. */
  key: string;
  name: string;
  about: string | null;
  /** Its server proposes values. */
  completes: boolean;
  fields: Field[];
}

interface Field {
  name: string;
  label: string;
  hint?: string | undefined;
  required: boolean;
}

export function offersOf(server: ServerView, view: OffersView): Offer[] {
  const { completes } = view;
  return [
    ...view.prompts.map(({ name, title, description, arguments: asked }) => ({
      kind: "prompt" as const,
      server,
      key: name,
      name: title ?? name,
      about: description,
      completes,
      fields: asked.map((field) => ({
        name: field.name,
        label: field.title ?? field.name,
        hint: field.description ?? undefined,
        required: field.required,
      })),
    })),
    ...view.resources.map(({ uri, name, description }) => ({
      kind: "resource" as const,
      server,
      key: uri,
      name,
      about: description ?? uri,
      completes,
      fields: [],
    })),
    ...view.templates.map(({ pattern, name, description, variables }) => ({
      kind: "pattern" as const,
      server,
      key: pattern,
      name,
      about: description ?? pattern,
      completes,
      fields: variables.map((variable) => ({ name: variable, label: variable, required: false })),
    })),
  ];
}

export function fieldsOf(offer: Offer): Field[] {
  return offer.fields;
}

/** Whether every word of a search stands in what is known of it. */
export function found(offer: Offer, search: string): boolean {
  const text = [offer.name, offer.key, offer.about ?? "", offer.server.name].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
