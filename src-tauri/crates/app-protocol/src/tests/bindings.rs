//! The types that cross to the UI as TypeScript: those of the commands, and all that they contain.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use ts_rs::{Config, TS, TypeVisitor};

use super::{assert_generated, commands};

/// Collects a type and everything it mentions, by name.
pub(super) struct Collector {
    config: Config,
    seen: HashSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Collector {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}", T::decl(&self.config));
            self.declarations.insert(T::ident(&self.config), declaration);
        }
        T::visit_generics(self);
        T::visit_dependencies(self);
    }
}

#[test]
fn the_bindings_of_the_ui_are_those_of_the_host() {
    let mut all = Collector {
        config: Config::default(),
        seen: HashSet::new(),
        declarations: BTreeMap::new(),
    };
    commands::visit_types(&mut all);
    let mut text = "// Generated from the Rust types by `make bindings`. Do not edit.\n".to_owned();
    for declaration in all.declarations.values() {
        text.push('\n');
        text.push_str(declaration);
        text.push('\n');
    }
    assert_generated("ui/src/host/bindings.ts", &text);
}
