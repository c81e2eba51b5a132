//! What was found in a call reaches the rules: it is asked although a permission covers it.

use super::*;
use crate::CarriedValue;
use vestibule_policy::{Action, Guardrail};

impl Scene {
    async fn allowed(&self, scope: Scope, workspace: WorkspaceId) {
        let action = Action::CallTool {
            tool: "delete_page".into(),
        };
        let DefinitionState::Accepted(digest) = definition() else {
            panic!("the definition is accepted")
        };
        let rule = Rule::permission(
            self.server.id,
            action,
            digest,
            scope,
            Some(self.chat),
            workspace,
            noon(),
        );
        self.gate.rules.rules.add(rule.unwrap()).await.unwrap();
    }

    /// Why it is asked; `None` where it is not.
    async fn asked_because(&self, request: CallRequest) -> Option<Vec<Because>> {
        let wanted = request.wanted(clock());
        let verdict = self.gate.rules.evaluate(&wanted);
        let answer = request.approve(&self.gate, self.person(no())).await;
        assert_eq!(answer.is_err(), verdict.decision == Decision::Ask);
        answer.is_err().then_some(verdict.because)
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_found_in_a_call_is_asked_although_it_is_allowed() {
    let scene = scene().await;
    scene.allowed(Scope::Always, WorkspaceId::home()).await;
    let plain = || scene.call(json!({"page": "Oslo"}), Claims::default(), definition());
    assert_eq!(scene.asked_because(plain()).await, None);
    let carried = CarriedValue {
        server: "mail".into(),
        tool: "read".into(),
        at: "/page".into(),
        value: "Oslo".into(),
    };
    let places = |own_data, unchecked| Places {
        own_data,
        unchecked,
        ..Places::default()
    };
    let with = |change: &dyn Fn(&mut CallRequest)| {
        let mut request = plain();
        change(&mut request);
        request
    };
    for (found, guardrail) in [
        (
            with(&|it| it.call.carried = vec![carried.clone()]),
            Guardrail::CarriesValues,
        ),
        (
            with(&|it| it.call.findings.flow_unchecked = true),
            Guardrail::TooMuchToCheck,
        ),
        (
            with(&|it| it.call.findings.as_text = true),
            Guardrail::WrittenAsText,
        ),
        (with(&|it| it.places = places(true, false)), Guardrail::OwnData),
        (
            with(&|it| it.places = places(false, true)),
            Guardrail::PathsUnchecked,
        ),
    ] {
        let because = scene.asked_because(found).await;
        let because = because.unwrap_or_else(|| panic!("{guardrail:?} was not asked"));
        assert!(because.contains(&Because::Guardrail { guardrail }), "{because:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_permission_of_a_workspace_holds_in_no_other() {
    let scene = scene().await;
    let (here, elsewhere) = (WorkspaceId::new(), WorkspaceId::new());
    scene.allowed(Scope::Workspace, here).await;
    let call = |workspace| CallRequest {
        workspace,
        ..scene.call(json!({}), Claims::default(), definition())
    };
    assert_eq!(scene.asked_because(call(here)).await, None);
    assert!(scene.asked_because(call(elsewhere)).await.is_some());
}
