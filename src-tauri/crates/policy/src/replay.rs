//! What a rule would have done: a draft held against requests of the past, before it takes effect. It decides
//! nothing and remembers nothing. The past is given as data; where its arguments are gone, a draft with conditions is
//! shown as asking, because that is what it would do.

use jiff::Timestamp;

use crate::{Decision, Request, Rule, Verdict, evaluate};

/// One request of the past, with and without the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// What the rules of today say of it.
    pub before: Verdict,
    /// What they would say with the draft.
    pub after: Verdict,
}

impl Replayed {
    /// Whether the draft would have made a difference.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.before.decision != self.after.decision
    }
}

/// All requests of the past, in the order they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    pub requests: Vec<Replayed>,
    /// How many would have been allowed with the draft.
    pub allowed: usize,
    /// How many would have been asked.
    pub asked: usize,
    /// How many would have been denied.
    pub denied: usize,
}

/// Holds `draft` against `past`, beside `rules`. The draft counts as made at the moment of each request, so that its
/// age plays no part.
#[must_use]
pub fn replay(draft: &Rule, rules: &[Rule], past: &[Request]) -> Replay {
    let mut replay = Replay::default();
    for request in past {
        let fresh = made_at(draft, request.now);
        let before = evaluate(request, rules);
        let after = evaluate(
            request,
            rules.iter().filter(|rule| rule.id != draft.id).chain([&fresh]),
        );
        *match after.decision {
            Decision::Allow => &mut replay.allowed,
            Decision::Ask => &mut replay.asked,
            Decision::Deny => &mut replay.denied,
        } += 1;
        replay.requests.push(Replayed { before, after });
    }
    replay
}

/// The draft as if it had been made at this time, without an end.
fn made_at(draft: &Rule, time: Timestamp) -> Rule {
    Rule {
        made: time,
        expires: None,
        last_used: None,
        ..draft.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::{Timestamp, ToSpan};
    use serde_json::json;
    use vestibule_protocol::{ServerId, WorkspaceId};

    use super::*;
    use crate::{Action, Condition, DefinitionState, Digest, Places, Scope, Test};

    #[test]
    fn a_draft_shows_what_it_would_have_allowed_asked_and_denied() {
        let server = ServerId::new();
        let action = Action::CallTool { tool: "read".into() };
        let digest = Digest::of_tool(&json!({}));
        let now = Timestamp::UNIX_EPOCH + 9000.hours();
        let request = |path: Option<&str>, definition| Request {
            server,
            action: action.clone(),
            definition,
            claims_destructive: false,
            carries_values: false,
            flow_unchecked: false,
            written_as_text: false,
            places: path.map_or_else(Places::default, |path| Places::as_written(&json!(path))),
            arguments: path.map(|path| Arc::new(json!({ "path": path }))),
            chat: None,
            workspace: WorkspaceId::home(),
            now: now - 4000.hours(),
        };
        let same = DefinitionState::Accepted(digest);
        let past = [
            request(Some("/a/b"), same),
            request(Some("/c"), same),
            request(None, same),
            request(Some("/a"), DefinitionState::Changed),
        ];
        let mut draft = Rule::permission(
            server,
            action.clone(),
            digest,
            Scope::Always,
            None,
            WorkspaceId::home(),
            now,
        )
        .unwrap();
        // Neither of these plays a part: the draft is tried as if it were made at each moment.
        draft.expires = Some(Timestamp::UNIX_EPOCH);
        draft.last_used = Some(Timestamp::UNIX_EPOCH);
        draft.when = vec![Condition {
            at: "/path".into(),
            is: Test::Under("/a".into()),
        }];
        let replay = super::replay(&draft, &[], &past);
        assert_eq!((replay.allowed, replay.asked, replay.denied), (1, 2, 1));
        let differs: Vec<bool> = replay.requests.iter().map(Replayed::differs).collect();
        assert_eq!(differs, [true, false, false, false]);
        let refusal = Rule::refusal(server, action, now);
        let refused = super::replay(&draft, std::slice::from_ref(&refusal), &past);
        assert_eq!((refused.allowed, refused.denied), (0, 4));
        let gone = super::replay(
            &Rule {
                id: refusal.id,
                ..draft
            },
            &[refusal],
            &past,
        );
        assert_eq!(
            (gone.allowed, gone.asked, gone.denied),
            (1, 2, 1),
            "a draft takes the place of its rule"
        );
    }
}
