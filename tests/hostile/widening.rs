//! A main window that was taken over (attack I5) calls every command that could let more happen. Without an answer in
//! the consent window nothing changes, and a no changes nothing either; a yes does, under a permit in the ledger.

mod models;
mod prices;

use vestibule_consent::{Answer, Question, QuestionBody, Widening};
use vestibule_host::view::{
    Budget, BudgetScope, ChangeEnd, ChangeOutcome, ChatSettings, ConnectionDraft, CostBudget, Currency,
    HeadState, HeaderDraft, InputProblem, Problem, SettingsChange, ToolRule,
};
use vestibule_policy::{Action, Decision, Digest, Rule, Scope};
use vestibule_protocol::{ChatId, ConnectionId, ModelId, RuleId, ServerId, WorkspaceId};
use vestibule_store::LedgerKind;
use vestibule_tests::{Model, Puppet, Scene, Stage, Turn, connection_draft, records, soon, tool, yes};

fn cost_budget(limit: u64, stop: bool) -> Option<CostBudget> {
    let currency = Currency::DOLLAR;
    Some(CostBudget {
        limit,
        currency,
        stop,
    })
}

fn no() -> Answer {
    Answer::Refuse { reason: None }
}

fn widening(card: &Question) -> &Widening {
    match &card.about {
        QuestionBody::Widen(widening) => widening,
        other => panic!("another card: {other:?}"),
    }
}

/// The permits of this action in the ledger: the refusals, and how each one that was given ended.
async fn written(scene: &Scene, action: &str) -> (usize, Vec<String>) {
    let all = records(&scene.store).await;
    let of = |kind| {
        all.iter()
            .filter(move |it| it.kind == kind && it.action == action)
    };
    let ended = of(LedgerKind::Outcome).map(|it| it.body["ended"].as_str().unwrap().to_owned());
    assert_eq!(of(LedgerKind::Intent).count(), of(LedgerKind::Outcome).count());
    (of(LedgerKind::Decision).count(), ended.collect())
}

/// Checks that the question of `change` waits, that refusing it changes nothing, and that the same again does with a
/// yes. `state` is what must not change before.
async fn is_asked<State: PartialEq + std::fmt::Debug>(
    scene: &Scene,
    action: &str,
    change: impl AsyncFn() -> ChangeOutcome,
    state: impl AsyncFn() -> State,
) -> Question {
    let before = state().await;
    let asked = change().await;
    assert!(matches!(asked, ChangeOutcome::Asked { .. }), "{action}");
    assert_eq!(state().await, before, "{action}: nobody has answered");
    let (_, end) = scene.answered(asked, no()).await;
    assert_eq!(end, ChangeEnd::Refused);
    assert_eq!(state().await, before, "{action}: refused");
    let card = scene.agreed(change().await).await;
    assert_ne!(state().await, before, "{action}: allowed");
    assert_eq!(written(scene, action).await, (1, vec!["changed".to_owned()]));
    card
}

async fn with_tool() -> (Scene, ServerId, Puppet, Stage) {
    let scene = Scene::new().await;
    let (server, puppet, stage) = scene.puppet("notes", &[tool("burn")]).await;
    (scene, server, puppet, stage)
}

/// Brings in a rule of the tool that holds in a workspace, the first of this tool.
async fn holds_in(scene: &Scene, server: ServerId, workspace: WorkspaceId, decision: Decision) {
    let action = Action::CallTool { tool: "burn".into() };
    let digest = Digest::of_tool(&tool("burn"));
    let now = jiff::Timestamp::now();
    let rule = Rule::permission(server, action, digest, Scope::Workspace, None, workspace, now).unwrap();
    let rule = Rule {
        decision,
        bound_to: (decision == Decision::Allow).then_some(digest),
        expires: rule.expires.filter(|_| decision == Decision::Allow),
        ..rule
    };
    let file = vestibule_policy::export_rules(&[rule]).to_string();
    scene.host.rules_import(&file).await.unwrap();
    if decision == Decision::Allow {
        let card = scene.person.asked().await;
        scene.person.say(&card, yes(Scope::Always)).await;
    }
    let holds = async {
        while rules_of_tool(scene).await.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    soon("the rule", holds).await;
}

async fn rules_of_tool(scene: &Scene) -> Vec<RuleId> {
    let mut rules = scene.host.rules().await.unwrap();
    rules.retain(|rule| rule.action.object() == "burn");
    rules.into_iter().map(|rule| rule.id).collect()
}

async fn workspace_of(scene: &Scene, chat: ChatId) -> WorkspaceId {
    let chats = scene.store.chats().await.unwrap();
    chats
        .into_iter()
        .find(|record| record.id == chat)
        .unwrap()
        .workspace
}

#[tokio::test]
async fn a_refusal_is_not_taken_back_by_the_main_window_alone() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    scene
        .host
        .tool_rule(server, "burn", ToolRule::Never)
        .await
        .unwrap();
    let [rule] = rules_of_tool(&scene).await[..] else {
        panic!("one rule")
    };
    let card = is_asked(
        &scene,
        "rule.take_back",
        async || scene.host.rule_take_back(rule).await.unwrap(),
        async || rules_of_tool(&scene).await,
    )
    .await;
    assert!(matches!(widening(&card), Widening::DropRefusals { rules } if rules.len() == 1));
    assert_eq!(card.server.id, server);
    scene.close().await;
}

#[tokio::test]
async fn the_list_of_tools_asks_before_a_refusal_goes_and_lets_a_permission_go_at_once() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    scene
        .host
        .tool_rule(server, "burn", ToolRule::Never)
        .await
        .unwrap();
    scene.host.tool_rule(server, "burn", ToolRule::Ask).await.unwrap();
    let card = scene.person.asked().await;
    assert!(matches!(widening(&card), Widening::DropRefusals { .. }));
    assert_eq!(rules_of_tool(&scene).await.len(), 1);
    scene.person.say(&card, no()).await;
    scene
        .window
        .until("no question", |seen| seen.waiting.is_empty())
        .await;
    assert_eq!(rules_of_tool(&scene).await.len(), 1);
    scene.allow(server, "burn").await;
    let allowed = async {
        while scene.host.server_tools(server)[0].rule != ToolRule::Allow {
            tokio::task::yield_now().await;
        }
    };
    soon("the permission", allowed).await;
    let shown = scene.person.shown().len();
    scene.host.tool_rule(server, "burn", ToolRule::Ask).await.unwrap();
    assert!(rules_of_tool(&scene).await.is_empty());
    assert_eq!(scene.person.shown().len(), shown, "narrowing is not asked");
    scene.close().await;
}

#[tokio::test]
async fn a_chat_does_not_move_to_where_more_is_allowed_by_the_main_window_alone() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    let web = scene.host.workspace_create("Website").await.unwrap();
    let chat = scene.chat().await;
    let moved = scene.host.chat_workspace(chat, web).await.unwrap();
    assert_eq!(moved, ChangeOutcome::Done, "nothing more is allowed there");
    let back = scene
        .host
        .chat_workspace(chat, WorkspaceId::home())
        .await
        .unwrap();
    assert_eq!(back, ChangeOutcome::Done);
    holds_in(&scene, server, web, Decision::Allow).await;
    let card = is_asked(
        &scene,
        "chat.move",
        async || scene.host.chat_workspace(chat, web).await.unwrap(),
        async || workspace_of(&scene, chat).await,
    )
    .await;
    let Widening::MoveChats(shown) = widening(&card) else {
        panic!("{card:?}")
    };
    assert_eq!((shown.to.name.as_str(), shown.allowed.len()), ("Website", 1));
    assert_eq!(shown.allowed[0].server, "notes");
    let back = scene
        .host
        .chat_workspace(chat, WorkspaceId::home())
        .await
        .unwrap();
    assert_eq!(back, ChangeOutcome::Done, "less is allowed there");
    scene.close().await;
}

#[tokio::test]
async fn other_folders_and_lost_refusals_are_asked_also_when_a_workspace_is_removed() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    let web = scene.host.workspace_create("Website").await.unwrap();
    let chat = scene.chat().await;
    let folder = scene.folder().join("site");
    std::fs::create_dir(&folder).unwrap();
    scene
        .host
        .folder_add(web, folder.display().to_string())
        .await
        .unwrap();
    let change = scene.host.chat_workspace(chat, web).await.unwrap();
    let card = scene.agreed(change).await;
    assert!(matches!(widening(&card), Widening::MoveChats(shown) if shown.to.folders.len() == 1));
    holds_in(&scene, server, web, Decision::Deny).await;
    let change = scene
        .host
        .chat_workspace(chat, WorkspaceId::home())
        .await
        .unwrap();
    let (card, _) = scene.answered(change, no()).await;
    assert!(matches!(widening(&card), Widening::MoveChats(shown) if shown.refused.len() == 1));
    assert_eq!(workspace_of(&scene, chat).await, web);
    let removed = scene.host.workspace_remove(web).await.unwrap();
    let (card, _) = scene.answered(removed, no()).await;
    assert!(matches!(widening(&card), Widening::MoveChats(shown) if shown.removes));
    assert_eq!(workspace_of(&scene, chat).await, web);
    let removed = scene.host.workspace_remove(web).await.unwrap();
    scene.agreed(removed).await;
    assert_eq!(workspace_of(&scene, chat).await, WorkspaceId::home());
    scene.close().await;
}

/// A yes is to what stood on the card: with another permission in the workspace meanwhile, nothing moves.
#[tokio::test]
async fn a_workspace_that_allows_more_meanwhile_is_not_what_was_agreed_to() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    let web = scene.host.workspace_create("Website").await.unwrap();
    let chat = scene.chat().await;
    let folder = scene.folder().join("site");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.display().to_string();
    scene.host.folder_add(web, path).await.unwrap();
    let ChangeOutcome::Asked { question } = scene.host.chat_workspace(chat, web).await.unwrap() else {
        panic!("not asked")
    };
    let card = scene.person.asked().await;
    holds_in(&scene, server, web, Decision::Allow).await;
    scene.person.say(&card, yes(Scope::Once)).await;
    let ended = |seen: &vestibule_tests::Projection| seen.answered.contains_key(&question);
    let seen = scene.window.until("the end", ended).await;
    assert_eq!(seen.answered[&question], ChangeEnd::Outdated);
    assert_eq!(workspace_of(&scene, chat).await, WorkspaceId::home());
    assert_eq!(written(&scene, "chat.move").await.1, ["outdated"]);
    scene.close().await;
}

#[tokio::test]
async fn a_budget_is_not_raised_by_the_main_window_alone() {
    let (scene, server, _puppet, _stage) = with_tool().await;
    let budget = |tokens_hour, cost_day| Budget {
        tokens_hour,
        tokens_day: 1000,
        cost_hour: Some(5),
        cost_day,
        currency: Currency::DOLLAR,
    };
    let save = async |wanted: Budget| scene.host.sampling_budget_save(server, wanted).await.unwrap();
    assert_eq!(
        save(budget(10, Some(5))).await,
        ChangeOutcome::Done,
        "less at once"
    );
    let kept = async || scene.store.budget(server).await.unwrap();
    let raise = async || save(budget(1_000_000, Some(5))).await;
    let card = is_asked(&scene, "sampling.budget", raise, async || kept().await).await;
    assert!(
        matches!(widening(&card), Widening::RaiseBudget { before, after } if before.tokens_hour == 10 && after.tokens_hour == 1_000_000)
    );
    // No limit is more than any.
    let change = save(budget(10, None)).await;
    scene.answered(change, no()).await;
    assert_eq!(kept().await.unwrap().cost_day, Some(5));
    // Limits in another currency count nothing of what was counted so far.
    let euros = Budget {
        currency: "EUR".parse().unwrap(),
        ..budget(10, Some(5))
    };
    let change = save(euros).await;
    let (card, _) = scene.answered(change, no()).await;
    assert!(matches!(widening(&card), Widening::RaiseBudget { after, .. } if *after == euros));
    assert_eq!(kept().await.unwrap().currency, Currency::DOLLAR);
    scene.close().await;
}

#[tokio::test]
async fn the_budget_of_the_month_is_not_raised_by_the_main_window_alone() {
    let scene = Scene::new().await;
    let budget = cost_budget;
    let save = async |wanted| scene.host.month_budget_save(wanted).await.unwrap();
    for less in [budget(9, true), budget(5, true)] {
        assert_eq!(save(less).await, ChangeOutcome::Done, "less at once");
    }
    let kept = async || scene.host.settings().budget;
    let card = is_asked(
        &scene,
        "model.budget",
        async || save(budget(6, true)).await,
        async || kept().await,
    )
    .await;
    let shown = Widening::RaiseCostBudget {
        scope: BudgetScope::Month,
        chat: String::new(),
        before: budget(5, true).unwrap(),
        after: budget(6, true),
    };
    assert_eq!(*widening(&card), shown);
    // A warning in the place of a stop, and no budget at all, are more than any limit.
    for more in [budget(6, false), None] {
        scene.answered(save(more).await, no()).await;
        assert_eq!(kept().await, budget(6, true));
    }
    // No other setting takes it along.
    scene.host.settings_save(SettingsChange::default()).await.unwrap();
    assert_eq!(kept().await, budget(6, true));
    // What the card showed is not so any more.
    let change = save(None).await;
    assert_eq!(save(budget(1, true)).await, ChangeOutcome::Done);
    let (_, end) = scene.answered(change, yes(Scope::Once)).await;
    assert_eq!((end, kept().await), (ChangeEnd::Outdated, budget(1, true)));
    scene.close().await;
}

#[tokio::test]
async fn the_budgets_of_a_day_and_a_chat_are_not_raised_by_the_main_window_alone() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let of_chat = async || scene.window.now().chats[&chat].settings.budget;
    let save_day = async |wanted| scene.host.day_budget_save(wanted).await.unwrap();
    let save_chat = async |wanted| scene.host.chat_budget_save(chat, wanted).await.unwrap();
    assert_eq!(save_day(cost_budget(5, true)).await, ChangeOutcome::Done);
    assert_eq!(save_chat(cost_budget(5, true)).await, ChangeOutcome::Done);
    for change in [save_day(None).await, save_chat(cost_budget(5, false)).await] {
        scene.answered(change, no()).await;
    }
    // The other settings of a chat leave its budget as it is.
    scene
        .host
        .chat_settings(chat, ChatSettings::default())
        .await
        .unwrap();
    scene.window.catch_up(&scene.host).await;
    assert_eq!(of_chat().await, cost_budget(5, true));
    assert_eq!(scene.host.settings().day_budget, cost_budget(5, true));
    scene.agreed(save_chat(cost_budget(9, true)).await).await;
    scene.window.catch_up(&scene.host).await;
    assert_eq!(of_chat().await, cost_budget(9, true));
    scene.close().await;
}

#[tokio::test]
async fn a_doubtful_ledger_is_not_accepted_by_the_main_window_alone() {
    let scene = Scene::new().await;
    let backup = std::fs::read(scene.database()).unwrap();
    let (_, puppet, stage) = scene.puppet("notes", &[tool("read")]).await;
    drop((puppet, stage));
    let opening = scene.close().await;
    let database = opening.database();
    for end in ["-wal", "-shm"] {
        let beside = format!("{}{end}", database.display());
        assert!(!std::path::Path::new(&beside).exists() || std::fs::remove_file(&beside).is_ok());
    }
    std::fs::write(&database, backup).unwrap();
    let scene = opening.open().await;
    assert!(matches!(scene.host.ledger_head_state(), HeadState::Older { .. }));
    let change = scene.host.ledger_accept().await.unwrap();
    let (card, _) = scene.answered(change, no()).await;
    assert!(matches!(widening(&card), Widening::AcceptLedger(_)));
    assert!(matches!(scene.host.ledger_head_state(), HeadState::Older { .. }));
    let change = scene.host.ledger_accept().await.unwrap();
    scene.agreed(change).await;
    assert_eq!(scene.host.ledger_head_state(), HeadState::Continues);
    assert_eq!(
        written(&scene, "ledger.accept").await,
        (1, vec!["changed".to_owned()])
    );
    scene.close().await;
}
