//! The table of what programs say: fixed texts and the diagnosis that each stands for. Rows are compared from the top; the
//! first whose text was said and whose diagnosis fits counts, so a cause stands above what follows from it.

use vestibule_app_protocol::Diagnosis;
use vestibule_store::Program;

use super::output::ProgramOutput;
use super::{container, npm, runtimes, uv, values};

/// One row of the table.
pub(super) struct Sign {
    /// Any of these, in lower case.
    pub(super) texts: &'static [&'static str],
    pub(super) read: fn(&ProgramOutput, &Program) -> Option<Diagnosis>,
}

/// The diagnosis of the first row that fits.
pub(super) fn diagnose(output: &ProgramOutput, given: &Program) -> Option<Diagnosis> {
    let tables = [
        runtimes::NETWORK,
        npm::SIGNS,
        uv::SIGNS,
        container::SIGNS,
        runtimes::SIGNS,
        values::SIGNS,
    ];
    let said = |sign: &&Sign| sign.texts.is_empty() || output.has(sign.texts);
    let rows = tables.into_iter().flatten();
    rows.filter(said).find_map(|sign| (sign.read)(output, given))
}
