// Budgets in numbers: what of one is spent, and whether to warn.
import type { Cost, CostBudget, Currency } from "../../host/bindings";

/** The share of a budget from which on there is a warning. */
const NEAR = 0.8;

/** What was spent in one currency, in millionths. */
export function spentIn(all: readonly Cost[], currency: Currency): number {
  return all.find((cost) => cost.currency === currency)?.amount ?? 0;
}

/** The costs that a budget does not count. */
export function notCounted(all: readonly Cost[], currency: Currency): Cost[] {
  return all.filter((cost) => cost.currency !== currency && cost.amount > 0);
}

/** The spent share of a budget, from 0; a budget of nothing is used up. */
export function shareOf(budget: CostBudget, all: readonly Cost[]): number {
  return budget.limit === 0 ? 1 : spentIn(all, budget.currency) / budget.limit;
}

/** Whether to warn, and as what. */
export function warningOf(budget: CostBudget, all: readonly Cost[]): "near" | "over" | null {
  const share = shareOf(budget, all);
  if (share >= 1) return "over";
  return share >= NEAR ? "near" : null;
}
