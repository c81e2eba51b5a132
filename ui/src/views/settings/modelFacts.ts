// What is known of a model, sorted by who says it, and the order and search of the lists of models.
import type { ConnectionView, FactSource, FactsView, ModelView } from "../../host/bindings";

const SOURCES: readonly FactSource[] = ["user", "server", "catalogue"];

/** The facts that one source says. */
export interface Said {
  source: FactSource;
  facts: FactsView;
}

/** The facts by their sources, those without any left out. */
export function bySource(facts: FactsView): Said[] {
  return SOURCES.map((source) => {
    const own = Object.entries(facts).filter(([, fact]) => (fact as { source: FactSource }).source === source);
    return { source, facts: Object.fromEntries(own) as FactsView };
  }).filter(({ facts: own }) => Object.keys(own).length > 0);
}

/** Favourites before the others, each in the order they were added. */
export function favouritesFirst(models: ModelView[]): ModelView[] {
  return models.toSorted((one, other) => Number(other.favourite) - Number(one.favourite));
}

/** A connection with those of its models that are shown. */
export interface Group {
  connection: ConnectionView;
  models: ModelView[];
}

/** The connections with their models, as far as `search` is in the names of either. */
export function groups(connections: ConnectionView[], models: ModelView[], search: string): Group[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const all = connections.map((connection) => {
    const of = `${connection.label} ${connection.base_url}`;
    const own = models.filter(({ kind }) => kind.kind === "remote" && kind.connection === connection.id);
    const shown = own.filter(
      ({ label, kind }) => words.length === 0 || has(`${of} ${label} ${kind.kind === "remote" ? kind.model : ""}`),
    );
    return { connection, models: favouritesFirst(shown) };
  });
  return words.length === 0 ? all : all.filter((group) => group.models.length > 0);
}
