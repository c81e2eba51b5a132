//! Writes the types that cross to the UI as TypeScript, and fails where the committed file differs, so that the
//! two sides can not drift apart. `make bindings` rewrites the file.

use std::collections::BTreeMap;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

use crate::view;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../ui/src/host/bindings.ts");

/// Collects a type and everything it mentions, by name.
struct Collector {
    config: Config,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Collector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() || self.declarations.contains_key(&T::ident(&self.config)) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        let declaration = format!("{docs}export {}", T::decl(&self.config));
        self.declarations.insert(T::ident(&self.config), declaration);
        T::visit_dependencies(self);
    }
}

fn generated() -> String {
    let mut all = Collector {
        config: Config::default(),
        declarations: BTreeMap::new(),
    };
    all.visit::<view::Snapshot>();
    all.visit::<view::Envelope>();
    all.visit::<view::InboxMessage>();
    all.visit::<vestibule_consent::Reply>();
    all.visit::<vestibule_consent::Misfit>();
    all.visit::<view::ParsedServers>();
    all.visit::<view::ServerDraft>();
    all.visit::<view::SettingsChange>();
    all.visit::<view::ToolView>();
    all.visit::<view::SignInSettings>();
    all.visit::<view::SignInSecrets>();
    all.visit::<view::LocalModels>();
    all.visit::<view::LogPage>();
    all.visit::<view::TrafficPage>();
    all.visit::<view::ModelDraft>();
    all.visit::<view::OffersView>();
    all.visit::<view::AttachmentView>();
    all.visit::<view::ResourcePick>();
    all.visit::<view::CompletionAsk>();
    all.visit::<view::CompletionView>();
    all.visit::<vestibule_protocol::mcp::LogLevel>();
    all.visit::<view::Problem>();
    all.visit::<view::EntriesView>();
    all.visit::<view::BudgetView>();
    all.visit::<vestibule_consent::PromptEdit>();
    all.visit::<vestibule_consent::ReplyEdit>();
    all.visit::<vestibule_consent::FolderPick>();
    all.visit::<view::RuleView>();
    all.visit::<view::RuleDraft>();
    all.visit::<view::RuleChange>();
    all.visit::<view::ModelSaved>();
    all.visit::<view::RuleTrial>();
    all.visit::<view::RulesImported>();
    all.visit::<view::LedgerQuery>();
    all.visit::<view::LedgerPage>();
    all.visit::<view::LedgerCheck>();
    all.visit::<view::ExportedFile>();
    all.visit::<view::SeenByServer>();
    let mut text = "// Generated from the Rust types by `make bindings`. Do not edit.\n".to_owned();
    for declaration in all.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
        text.push('\n');
    }
    text
}

#[test]
fn the_bindings_of_the_ui_are_those_of_the_host() {
    let text = generated();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(Path::new(FILE).parent().unwrap()).unwrap();
        std::fs::write(FILE, &text).unwrap();
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert_eq!(
        committed, text,
        "ui/src/host/bindings.ts is out of date: run `make bindings`"
    );
}
