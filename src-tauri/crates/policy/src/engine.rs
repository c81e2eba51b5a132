//! The decision itself: pure, total, the same in whatever order the rules stand. Guardrails come first and no rule lifts them
//! (a changed definition, values of another server, Vestibule's own data, what could not be checked). Then the strictest
//! decision among the matching rules holds. Where no rule matches, the user is asked.

use crate::condition::Applies;
use crate::{Because, Decision, DefinitionState, Guardrail, Reach, Request, Rule, Scope, Verdict};

/// Decides one request by the user's rules.
#[must_use]
pub fn evaluate<'a>(request: &Request, rules: impl IntoIterator<Item = &'a Rule>) -> Verdict {
    let mut opinions: Vec<(Decision, Because)> = guardrails(request)
        .map(|(decision, guardrail)| (decision, Because::Guardrail { guardrail }))
        .collect();
    let mut too_wide = false;
    for rule in rules.into_iter().filter(|rule| speaks_of(rule, request)) {
        let Some(opinion) = opinion(rule, request) else {
            continue;
        };
        if is_too_wide(rule, request) {
            too_wide = true;
        } else {
            opinions.push(opinion);
        }
    }
    strictest(opinions).unwrap_or_else(|| unruled(too_wide))
}

/// What a rule that speaks of the request says, unless its conditions are not met.
fn opinion(rule: &Rule, request: &Request) -> Option<(Decision, Because)> {
    match meets_conditions(rule, request) {
        Applies::No => None,
        Applies::Unresolved => Some((
            Decision::Ask,
            Because::Guardrail {
                guardrail: Guardrail::PathsUnchecked,
            },
        )),
        Applies::Yes => Some((
            rule.decision,
            Because::Rule {
                rule: rule.id,
                scope: rule.reach.scope(),
            },
        )),
    }
}

/// Whether a permission reaches further than one may for a request that says it destroys something.
fn is_too_wide(rule: &Rule, request: &Request) -> bool {
    rule.decision == Decision::Allow && request.claims_destructive && rule.reach.scope() > Scope::Chat
}

/// The strictest decision with all that led to it; `None` without any opinion.
fn strictest(opinions: Vec<(Decision, Because)>) -> Option<Verdict> {
    let decision = opinions.iter().map(|(decision, _)| *decision).max()?;
    let mut because: Vec<Because> = opinions
        .into_iter()
        .filter(|(held, _)| *held == decision)
        .map(|(_, because)| because)
        .collect();
    because.sort_by_key(order);
    because.dedup();
    Some(Verdict { decision, because })
}

/// What holds where no rule decides; `too_wide` says that a permission was left out for its reach.
fn unruled(too_wide: bool) -> Verdict {
    let because = if too_wide {
        Because::Guardrail {
            guardrail: Guardrail::ClaimsDestructive,
        }
    } else {
        Because::Unruled
    };
    Verdict {
        decision: Decision::Ask,
        because: vec![because],
    }
}

/// What holds for the request whatever the rules say.
fn guardrails(request: &Request) -> impl Iterator<Item = (Decision, Guardrail)> {
    let changed = request.definition == DefinitionState::Changed;
    let all = [
        (changed, Decision::Deny, Guardrail::DefinitionChanged),
        (request.carries_values, Decision::Ask, Guardrail::CarriesValues),
        (request.flow_unchecked, Decision::Ask, Guardrail::TooMuchToCheck),
        (request.written_as_text, Decision::Ask, Guardrail::WrittenAsText),
        (request.places.own_data, Decision::Ask, Guardrail::OwnData),
        (request.places.unchecked, Decision::Ask, Guardrail::PathsUnchecked),
    ];
    all.into_iter()
        .filter_map(|(holds, decision, guardrail)| holds.then_some((decision, guardrail)))
}

/// Whether a rule is about this request at all, still holds, and was made for this very definition.
fn speaks_of(rule: &Rule, request: &Request) -> bool {
    let bound = match (rule.decision, request.definition) {
        (Decision::Allow, DefinitionState::Accepted(now)) => rule.bound_to == Some(now),
        (Decision::Allow, DefinitionState::Unbound(_) | DefinitionState::Changed) => false,
        (Decision::Ask | Decision::Deny, _) => true,
    };
    bound
        && rule.server == request.server
        && rule.action == request.action
        && reaches(rule.reach, request)
        && rule.check().is_ok()
        && rule.holds_at(request.now)
}

/// A permission needs certainty; a refusal holds where it may be meant.
fn meets_conditions(rule: &Rule, request: &Request) -> Applies {
    let arguments = request.arguments.as_deref();
    let applies = rule
        .when
        .iter()
        .map(|condition| match (rule.decision, arguments) {
            (Decision::Allow, Some(known)) if condition.surely_holds(known, &request.places) => Applies::Yes,
            (Decision::Allow, _) => Applies::No,
            (Decision::Ask | Decision::Deny, Some(known)) => condition.may_hold(known, &request.places),
            (Decision::Ask | Decision::Deny, None) => Applies::Yes,
        });
    applies.max().unwrap_or(Applies::Yes)
}

fn reaches(reach: Reach, request: &Request) -> bool {
    match reach {
        Reach::Chat(chat) => request.chat == Some(chat),
        Reach::Workspace(workspace) => request.workspace == workspace,
        Reach::Everywhere => true,
    }
}

/// A fixed order of reasons, so that the same rules in another order give the same verdict to the letter.
fn order(because: &Because) -> (u8, String) {
    match because {
        Because::Guardrail { guardrail } => (0, format!("{guardrail:?}")),
        Because::Rule { rule, .. } => (1, rule.to_string()),
        Because::Unruled => (2, String::new()),
        Because::Person { .. } => (3, String::new()),
    }
}

#[cfg(test)]
mod tests;
