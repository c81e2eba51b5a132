//! The next steps that several diagnoses share.

use vestibule_app_protocol::{Correction, FormPart, Guide, NextStep, RuntimeTool};

pub(super) fn install(tool: RuntimeTool) -> NextStep {
    guide(Guide::Install { tool })
}

pub(super) fn guide(guide: Guide) -> NextStep {
    NextStep::Guide { guide }
}

/// Opens the form at a part, with nothing changed.
pub(super) fn edit(part: FormPart) -> NextStep {
    NextStep::Edit {
        part,
        corrections: vec![],
    }
}

/// Opens the form at a part with one change.
pub(super) fn correct(part: FormPart, correction: Correction) -> NextStep {
    NextStep::Edit {
        part,
        corrections: vec![correction],
    }
}

/// Opens the form with variables whose values the user enters.
pub(super) fn ask_variables(names: &[&str]) -> NextStep {
    let variable = |name: &&str| Correction::Variable {
        name: (*name).to_owned(),
        value: String::new(),
    };
    NextStep::Edit {
        part: FormPart::Variables,
        corrections: names.iter().map(variable).collect(),
    }
}

pub(super) fn arguments(args: Vec<String>) -> NextStep {
    correct(FormPart::Arguments, Correction::Arguments { args })
}
