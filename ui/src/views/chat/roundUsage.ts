// What one round took, in the form of what a whole chat took.
import type { ChatUsageView, UsageView } from "../../host/bindings";

export function roundUsage({ input, output, cached, cost, currency }: UsageView): ChatUsageView {
  return { input, output, cached, costs: cost === null ? [] : [{ currency, amount: cost }] };
}
