//! The ledger as a reader sees it.

use vestibule_store::{LedgerFilter, LedgerKind, LedgerRecord, Store};

/// All records, oldest first.
pub async fn records(store: &Store) -> Vec<LedgerRecord> {
    let mut all = vec![];
    let mut before = None;
    loop {
        let filter = LedgerFilter {
            before,
            limit: 1000,
            ..LedgerFilter::default()
        };
        let page = store.ledger(filter).await.unwrap();
        let Some(last) = page.last() else { break };
        before = Some(last.seq);
        all.extend(page);
    }
    all.reverse();
    all
}

/// How each intent ended: the action, the object and the word for the end. `None` where nothing was written.
///
/// # Panics
/// When an outcome belongs to no earlier intent, or two belong to one.
#[must_use]
pub fn ended(records: &[LedgerRecord]) -> Vec<(String, String, Option<String>)> {
    let outcomes = records.iter().filter(|record| record.kind == LedgerKind::Outcome);
    for outcome in outcomes.clone() {
        let intent = outcome.body["intent"].as_i64().unwrap();
        let found = records.iter().find(|record| record.seq == intent).unwrap();
        assert_eq!(found.kind, LedgerKind::Intent);
        assert!(found.seq < outcome.seq, "an outcome stands before its intent");
        assert_eq!((&found.action, &found.object), (&outcome.action, &outcome.object));
    }
    let intents = records.iter().filter(|record| record.kind == LedgerKind::Intent);
    intents
        .map(|intent| {
            let mut of_it = outcomes
                .clone()
                .filter(|outcome| outcome.body["intent"] == intent.seq);
            let word = of_it
                .next()
                .map(|outcome| outcome.body["ended"].as_str().unwrap().to_owned());
            assert!(of_it.next().is_none(), "an intent has two outcomes: {intent:?}");
            (intent.action.clone(), intent.object.clone(), word)
        })
        .collect()
}

/// The standing permissions that were given, as (action, object).
#[must_use]
pub fn grants(records: &[LedgerRecord]) -> Vec<(String, String)> {
    let grants = records.iter().filter(|record| record.kind == LedgerKind::Grant);
    grants
        .map(|grant| (grant.action.clone(), grant.object.clone()))
        .collect()
}
