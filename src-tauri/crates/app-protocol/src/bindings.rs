//! Writes the types that cross to the UI as TypeScript, and fails where the committed file differs, so that the
//! two sides cannot drift apart. `make bindings` rewrites the file.

use std::collections::BTreeMap;
use std::path::Path;

use ts_rs::{Config, TS, TypeVisitor};

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
    all.visit::<crate::Snapshot>();
    all.visit::<crate::Envelope>();
    all.visit::<crate::InboxMessage>();
    all.visit::<crate::Reply>();
    all.visit::<crate::Misfit>();
    all.visit::<crate::ParsedServers>();
    all.visit::<crate::ServerDraft>();
    all.visit::<crate::SettingsChange>();
    all.visit::<crate::ToolView>();
    all.visit::<crate::SignInSettings>();
    all.visit::<crate::SignInSecrets>();
    all.visit::<crate::LocalModels>();
    all.visit::<crate::LogPage>();
    all.visit::<crate::TrafficPage>();
    all.visit::<crate::ModelDraft>();
    all.visit::<crate::OffersView>();
    all.visit::<crate::AttachmentView>();
    all.visit::<crate::ResourcePick>();
    all.visit::<crate::CompletionAsk>();
    all.visit::<crate::CompletionView>();
    all.visit::<vestibule_protocol::mcp::LogLevel>();
    all.visit::<crate::Problem>();
    all.visit::<crate::EntriesView>();
    all.visit::<crate::BudgetView>();
    all.visit::<crate::PromptEdit>();
    all.visit::<crate::ReplyEdit>();
    all.visit::<crate::FolderPick>();
    all.visit::<crate::RuleView>();
    all.visit::<crate::RuleDraft>();
    all.visit::<crate::RuleChange>();
    all.visit::<crate::ModelSaved>();
    all.visit::<crate::RuleTrial>();
    all.visit::<crate::RulesImported>();
    all.visit::<crate::LedgerQuery>();
    all.visit::<crate::LedgerPage>();
    all.visit::<crate::LedgerCheck>();
    all.visit::<crate::ExportedFile>();
    all.visit::<crate::SeenByServer>();
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
