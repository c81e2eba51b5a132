// A change of the main window in words: what is asked, what a yes is called, and what it will mean.
import type { PriceChange, Widening, WorkspaceSummary } from "../../host/bindings";
import { m } from "../../paraglide/messages";
import { number } from "../../features/text/format";
import { slot, type Sentence } from "../../features/text/rich";
import type { AboutOf, KindWords } from "../kind";
import { isBlocked } from "./address";

/** A workspace's name; the one every chat begins in has none of its own. */
export function workspaceName({ name }: WorkspaceSummary): string {
  return name || m.workspace_home();
}

/** Whether a model would be added without a known price; otherwise prices of one that is there would change. */
export function isAdded({ before, after }: PriceChange): boolean {
  return before === null && after === null;
}

/** What is asked, in a sentence. */
function askOf(change: Widening, server: string): Sentence {
  switch (change.widening) {
    case "drop_refusals":
      return { sentence: m.ask_drop_refusals({ server: slot(0) }), values: [server] };
    case "move_chats": {
      const [first = "", ...rest] = change.chats;
      const to = workspaceName(change.to);
      if (rest.length === 0)
        return {
          sentence: m.ask_move_chat({ chat: slot(0), to: slot(1) }),
          values: [first || m.untitled_chat(), to],
        };
      return { sentence: m.ask_move_chats({ count: number(change.chats.length), to: slot(0) }), values: [to] };
    }
    case "raise_budget":
      return { sentence: m.ask_raise_budget({ server: slot(0) }), values: [server] };
    case "raise_cost_budget":
      if (change.scope === "chat")
        return { sentence: m.ask_raise_chat_budget({ chat: slot(0) }), values: [change.chat || m.untitled_chat()] };
      return { sentence: change.scope === "day" ? m.ask_raise_day_budget() : m.ask_raise_month_budget(), values: [] };
    case "lower_prices": {
      const [first, ...rest] = change.models;
      if (first !== undefined && rest.length === 0)
        return {
          sentence: isAdded(first) ? m.ask_uncounted_model({ model: slot(0) }) : m.ask_lower_price({ model: slot(0) }),
          values: [first.model],
        };
      const count = number(change.models.length);
      return {
        sentence: change.models.every(isAdded) ? m.ask_uncounted_models({ count }) : m.ask_lower_prices({ count }),
        values: [],
      };
    }
    case "go_on_once":
      return { sentence: m.ask_go_on_once({ chat: slot(0) }), values: [change.chat || m.untitled_chat()] };
    case "accept_ledger":
      return { sentence: m.ask_accept_ledger(), values: [] };
    case "save_connection":
      if (change.new) return { sentence: m.ask_save_model(), values: [] };
      return change.before === null
        ? { sentence: m.ask_headers({ connection: slot(0) }), values: [change.connection.label] }
        : { sentence: m.ask_move_model({ model: slot(0) }), values: [change.connection.label] };
    case "update_package":
      return { sentence: m.ask_update_package({ server: slot(0) }), values: [server] };
    case "chat_model":
      return { sentence: m.ask_chat_model({ chat: slot(0) }), values: [change.chat || m.untitled_chat()] };
    default:
      return change satisfies never;
  }
}

/** What a yes is called. */
function acceptOf(change: Widening): string {
  switch (change.widening) {
    case "drop_refusals":
      return m.accept_drop_refusals();
    case "move_chats":
      return m.accept_move();
    case "raise_budget":
    case "raise_cost_budget":
      return m.accept_budget();
    case "lower_prices":
      return change.models.every(isAdded) ? m.accept_uncounted() : m.accept_prices();
    case "go_on_once":
      return m.accept_go_on_once();
    case "accept_ledger":
      return m.ledger_accept();
    case "save_connection":
      return change.new || change.before !== null ? m.accept_save_model() : m.accept_headers();
    case "update_package":
      return m.accept_update_package();
    case "chat_model":
      return m.accept_chat_model();
    default:
      return change satisfies never;
  }
}

/** What a yes will mean. */
function meansOf(change: Widening, server: string): Sentence {
  switch (change.widening) {
    case "drop_refusals":
      return { sentence: m.means_drop_refusals({ server: slot(0) }), values: [server] };
    case "move_chats":
      return { sentence: m.means_move_chats({ to: slot(0) }), values: [workspaceName(change.to)] };
    case "raise_budget":
      return { sentence: m.means_raise_budget(), values: [] };
    case "raise_cost_budget":
      return { sentence: m.means_raise_month_budget(), values: [] };
    case "lower_prices":
      return {
        sentence: change.models.every(isAdded) ? m.means_uncounted() : m.means_lower_prices(),
        values: [],
      };
    case "go_on_once":
      return { sentence: m.means_go_on_once(), values: [] };
    case "accept_ledger":
      return { sentence: m.means_accept_ledger(), values: [] };
    case "save_connection":
      return {
        sentence: change.new || change.before !== null ? m.means_save_model() : m.means_headers(),
        values: [],
      };
    case "update_package":
      return {
        sentence: change.scripts.length > 0 ? m.means_update_package_scripts() : m.means_update_package(),
        values: [],
      };
    case "chat_model":
      return { sentence: m.means_chat_model(), values: [] };
    default:
      return change satisfies never;
  }
}

export const words: KindWords<AboutOf<"widen">> = {
  family: m.family_widening,
  tab: () => m.family_widening(),
  ask: askOf,
  because: () => m.because_widening(),
  refuse: m.keep_as_it_is,
  accept: acceptOf,
  meaning: (change, { server }) => (isBlocked(change) ? null : meansOf(change, server)),
};
