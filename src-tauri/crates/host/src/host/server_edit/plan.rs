//! What saving a draft in place of a server would do, worked out before anything is changed.

use std::collections::BTreeSet;

use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::Value;
use vestibule_policy::{Rule, variable_effect};
use vestibule_servers::config::secrets::SecretName;
use vestibule_servers::config::{connection, variables};
use vestibule_store::{Endpoint, LedgerDraft, LedgerKind, OWN_FOLDER, Program, ServerPlace, ServerRecord};

use crate::view::EnvPair;

/// The home folder, as it is written where a server starts in it.
const HOME: &str = "~";

/// What saving a draft in place of a server would do.
pub(super) struct EditPlan {
    pub(super) before: ServerRecord,
    pub(super) after: ServerRecord,
    /// The names that get a value, with it.
    pub(super) given: Vec<EnvPair>,
    /// The names that stay and lose their value.
    pub(super) lost: Vec<String>,
    /// Whether it is another program or another address.
    pub(super) moves: bool,
}

/// A value in the keychain that is set, or removed where there is none.
pub(super) struct ValueChange {
    pub(super) name: SecretName,
    pub(super) value: Option<SecretString>,
}

impl EditPlan {
    /// The plan of putting `after` in the place of `before`; `pairs` are its names, each with the value it is given.
    pub(super) fn new(before: ServerRecord, mut after: ServerRecord, pairs: Vec<EnvPair>) -> Self {
        keep_home(&before.place, &mut after.place);
        let given: Vec<EnvPair> = pairs.into_iter().filter(|pair| !pair.value.is_empty()).collect();
        let still = still_named(&before.place, &after.place, &given);
        let (kept, lost) = match keeps_values(&before.place, &after.place) {
            true => (still, vec![]),
            false => (vec![], still),
        };
        for name in kept.iter().filter(|name| before.place.pasted().contains(name)) {
            after.place.set_pasted(name);
        }
        Self {
            moves: is_another(&before.place, &after.place, &given),
            before,
            after,
            given,
            lost,
        }
    }

    pub(super) fn changes(&self) -> bool {
        self.before != self.after || !self.given.is_empty()
    }

    /// Whether a running server has to start again.
    pub(super) fn restarts(&self) -> bool {
        self.opens_another() || self.before.era != self.after.era
    }

    /// Whether its next start or connection is another one than was approved.
    pub(super) fn opens_another(&self) -> bool {
        self.before.place != self.after.place || !self.given.is_empty()
    }

    /// Whether a rule still decides something, and goes on to do so where it is not ended. A permission for one start or
    /// connection says nothing of another.
    pub(super) fn speaks_of(&self, rule: &Rule) -> bool {
        let is_past = rule.action.opens_server() && self.opens_another();
        rule.holds_at(Timestamp::now()) && !is_past
    }

    /// Whether it was reached at an address and is not any more.
    pub(super) fn leaves_address(&self) -> bool {
        self.moves && matches!(self.before.place, ServerPlace::Address(_))
    }

    /// Whether it leaves the site of its address: scheme, host and port.
    pub(super) fn leaves_site(&self) -> bool {
        self.leaves_address() && !is_same_site(&self.before.place, &self.after.place)
    }

    /// What has to change in the keychain: values that are given, lost, or not named any more.
    pub(super) fn value_changes(&self) -> Vec<ValueChange> {
        let (id, before, after) = (self.before.id, &self.before.place, &self.after.place);
        let named: Vec<SecretName> = after
            .secrets()
            .iter()
            .map(|name| variables::secret(id, after, name))
            .collect();
        let old = before
            .secrets()
            .iter()
            .map(|name| variables::secret(id, before, name));
        let gone = old.filter(|name| !named.contains(name));
        let lost = self.lost.iter().map(|name| variables::secret(id, after, name));
        let removed = gone.chain(lost).map(|name| ValueChange { name, value: None });
        let set = self.given.iter().map(|pair| ValueChange {
            name: variables::secret(id, after, &pair.name),
            value: Some(SecretString::from(pair.value.clone())),
        });
        removed.chain(set).collect()
    }

    pub(super) fn record(&self, kind: LedgerKind, action: &str, body: Value) -> LedgerDraft {
        LedgerDraft {
            kind,
            server: Some(self.before.id),
            chat: None,
            action: action.to_owned(),
            object: String::new(),
            decision: (kind == LedgerKind::Revoke).then(|| "ask".to_owned()),
            because: Value::Null,
            body,
        }
    }

    /// The words of the ledger for what changed. No name and no value is among them.
    pub(super) fn parts(&self) -> Vec<&'static str> {
        let mut parts = place_parts(&self.before.place, &self.after.place);
        let others = [
            (self.before.name != self.after.name, "name"),
            (self.before.era != self.after.era, "era"),
            (!self.given.is_empty() || !self.lost.is_empty(), "values"),
        ];
        parts.extend(
            others
                .into_iter()
                .filter_map(|(changed, word)| changed.then_some(word)),
        );
        parts
    }
}

fn place_parts(before: &ServerPlace, after: &ServerPlace) -> Vec<&'static str> {
    let parts = match (before, after) {
        (ServerPlace::Here(before), ServerPlace::Here(after)) => vec![
            (before.command != after.command, "program"),
            (before.args != after.args, "arguments"),
            (before.env != after.env, "variables"),
            (before.cwd != after.cwd, "folder"),
        ],
        (ServerPlace::Address(before), ServerPlace::Address(after)) => vec![
            (before.url != after.url, "address"),
            (before.transport != after.transport, "transport"),
            (before.headers != after.headers, "headers"),
        ],
        _ => vec![(true, "place")],
    };
    parts
        .into_iter()
        .filter_map(|(changed, word)| changed.then_some(word))
        .collect()
}

/// Whether another program or another address stands in the place of the one before. Variables that decide what runs
/// are part of the program; other values are not, because the start or connection with them is reviewed anyway.
fn is_another(before: &ServerPlace, after: &ServerPlace, given: &[EnvPair]) -> bool {
    match (before, after) {
        (ServerPlace::Here(before), ServerPlace::Here(after)) => {
            let is_given = given.iter().any(|pair| variable_effect(&pair.name).is_some());
            is_given
                || (&before.command, &before.args, &before.cwd) != (&after.command, &after.args, &after.cwd)
                || deciding(before) != deciding(after)
        }
        (ServerPlace::Address(before), ServerPlace::Address(after)) => !is_same_address(before, after),
        _ => true,
    }
}

fn deciding(program: &Program) -> BTreeSet<&String> {
    program
        .env
        .iter()
        .filter(|name| variable_effect(name).is_some())
        .collect()
}

fn is_same_address(before: &Endpoint, after: &Endpoint) -> bool {
    let address = |endpoint: &Endpoint| connection::address(&endpoint.url).ok();
    before.url == after.url || address(before).is_some_and(|before| Some(before) == address(after))
}

fn is_same_site(before: &ServerPlace, after: &ServerPlace) -> bool {
    match (before, after) {
        (ServerPlace::Address(before), ServerPlace::Address(after)) => {
            let site = connection::origin_of(&before.url);
            !site.is_empty() && site == connection::origin_of(&after.url)
        }
        _ => false,
    }
}

/// Whether a name that stays keeps its value. A header that was entered for one site is never sent to another one.
fn keeps_values(before: &ServerPlace, after: &ServerPlace) -> bool {
    let are_here = matches!((before, after), (ServerPlace::Here(_), ServerPlace::Here(_)));
    are_here || is_same_site(before, after)
}

/// The names of before that are named again and get no other value. A variable is no header.
fn still_named(before: &ServerPlace, after: &ServerPlace, given: &[EnvPair]) -> Vec<String> {
    if std::mem::discriminant(before) != std::mem::discriminant(after) {
        return vec![];
    }
    let named = after
        .secrets()
        .iter()
        .filter(|name| before.secrets().contains(name));
    let is_given = |name: &String| given.iter().any(|pair| pair.name == *name);
    named.filter(|name| !is_given(name)).cloned().collect()
}

/// The folder as the form shows it; `None` for one of its own.
pub(super) fn drafted_folder(program: &Program) -> Option<String> {
    match program.cwd.as_deref() {
        None => Some(HOME.to_owned()),
        Some(OWN_FOLDER) => None,
        Some(folder) => Some(folder.to_owned()),
    }
}

/// A server from before there were folders of their own says nothing where it starts in the home folder.
fn keep_home(before: &ServerPlace, after: &mut ServerPlace) {
    if let (ServerPlace::Here(before), ServerPlace::Here(after)) = (before, after)
        && before.cwd.is_none()
        && after.cwd.as_deref() == Some(HOME)
    {
        after.cwd = None;
    }
}

pub(super) fn without_values(names: Vec<String>) -> Vec<EnvPair> {
    let pair = |name| EnvPair {
        name,
        value: String::new(),
        pasted: false,
        from_computer: false,
    };
    names.into_iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use vestibule_protocol::{EraChoice, ServerId, TransportChoice};

    use super::*;

    fn record(place: ServerPlace) -> ServerRecord {
        ServerRecord {
            id: ServerId::new(),
            name: "notes".to_owned(),
            place,
            era: EraChoice::Auto,
            wanted: false,
            created: Timestamp::UNIX_EPOCH,
        }
    }

    fn program() -> Program {
        Program {
            command: "npx".to_owned(),
            args: vec!["notes@1.0.0".to_owned()],
            env: vec!["TOKEN".to_owned()],
            pasted: vec!["TOKEN".to_owned()],
            cwd: Some(OWN_FOLDER.to_owned()),
        }
    }

    fn endpoint(url: &str) -> Endpoint {
        Endpoint {
            url: url.to_owned(),
            ..Endpoint::default()
        }
    }

    fn value(name: &str) -> EnvPair {
        EnvPair {
            name: name.to_owned(),
            value: "value".to_owned(),
            pasted: false,
            from_computer: false,
        }
    }

    fn moves(before: &ServerPlace, after: ServerPlace, given: Vec<EnvPair>) -> bool {
        let before = record(before.clone());
        let after = ServerRecord {
            place: after,
            ..before.clone()
        };
        EditPlan::new(before, after, given).moves
    }

    #[test]
    fn another_program_is_whatever_changes_the_code_that_runs() {
        let here = ServerPlace::Here(program());
        let with = |change: fn(&mut Program)| {
            let mut program = program();
            change(&mut program);
            ServerPlace::Here(program)
        };
        assert!(!moves(&here, here.clone(), vec![value("TOKEN")]));
        assert!(!moves(&here, with(|program| program.env.clear()), vec![]));
        assert!(moves(
            &here,
            with(|program| program.command = "node".to_owned()),
            vec![]
        ));
        assert!(moves(
            &here,
            with(|program| program.args.push("--all".to_owned())),
            vec![]
        ));
        assert!(moves(
            &here,
            with(|program| program.cwd = Some("/srv".to_owned())),
            vec![]
        ));
        let loads_code = with(|program| program.env.push("NODE_OPTIONS".to_owned()));
        assert!(moves(&here, loads_code.clone(), vec![]));
        assert!(moves(
            &loads_code,
            loads_code.clone(),
            vec![value("NODE_OPTIONS")]
        ));
        assert!(moves(
            &here,
            ServerPlace::Address(endpoint("https://a.example/")),
            vec![]
        ));
    }

    #[test]
    fn another_address_is_another_path_too_but_no_other_transport() {
        let at = |url: &str| ServerPlace::Address(endpoint(url));
        let here = at("https://a.example/mcp");
        assert!(!moves(&here, here.clone(), vec![value("Authorization")]));
        assert!(moves(&here, at("https://a.example/other"), vec![]));
        assert!(moves(&here, at("https://a.example/mcp?team=b"), vec![]));
        let transport = ServerPlace::Address(Endpoint {
            transport: TransportChoice::Sse,
            ..endpoint("https://a.example/mcp")
        });
        assert!(!moves(&here, transport, vec![]));
    }

    /// A value that was pasted may be shown on request; a typed one never. Saving changes neither.
    #[test]
    fn a_value_that_stays_is_shown_as_before() {
        let before = record(ServerPlace::Here(program()));
        let mut after = before.clone();
        after.place.set_typed("TOKEN");
        let kept = EditPlan::new(before.clone(), after.clone(), vec![]);
        assert!(!kept.changes(), "nothing was changed");
        let typed = EditPlan::new(before, after, vec![value("TOKEN")]);
        assert!(typed.after.place.pasted().is_empty());
    }

    #[test]
    fn the_home_folder_of_an_older_server_stays_as_it_was_written() {
        let mut old = program();
        old.cwd = None;
        let before = record(ServerPlace::Here(old.clone()));
        old.cwd = drafted_folder(&old);
        let after = ServerRecord {
            place: ServerPlace::Here(old),
            ..before.clone()
        };
        assert!(!EditPlan::new(before, after, vec![]).changes());
    }
}
