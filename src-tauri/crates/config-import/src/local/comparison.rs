//! Compares servers that were found with those that are added. Values of variables and headers are left out: those of
//! an added server are in the keychain, which is not asked for this.

use vestibule_app_protocol::{
    DraftComparison, DraftPart, EndpointDraft, EnvPair, ParsedServer, PlaceDraft, ProgramDraft, ServerDraft,
};
use vestibule_protocol::ServerId;

/// A server that is added, with the names of its variables or headers.
#[derive(Clone, Debug)]
pub struct AddedServer {
    pub id: ServerId,
    pub draft: ServerDraft,
}

/// The servers that the next one is compared with.
pub(super) struct Comparisons<'a> {
    added: &'a [AddedServer],
    /// What was found so far, with its application.
    found: Vec<(&'static str, ServerDraft)>,
}

impl<'a> Comparisons<'a> {
    pub(super) fn new(added: &'a [AddedServer]) -> Self {
        Self { added, found: vec![] }
    }

    /// Compares a server, and keeps it to compare the next ones with.
    pub(super) fn compare(&mut self, server: &ParsedServer, app: &'static str) -> DraftComparison {
        let comparison = self.comparison(server);
        self.found.push((app, server.draft.clone()));
        comparison
    }

    fn comparison(&self, server: &ParsedServer) -> DraftComparison {
        let holes: Vec<String> = server
            .fills
            .iter()
            .map(|fill| format!("${{{}}}", fill.name))
            .collect();
        let differs = |added: &AddedServer| differences(&server.draft.place, &added.draft.place, &holes);
        if let Some(same) = self.added.iter().find(|added| differs(added).is_empty()) {
            return comparison_with(same, vec![]);
        }
        let repeats = |(_, before): &&(&str, ServerDraft)| before.place == server.draft.place;
        if let Some((app, _)) = self.found.iter().find(repeats) {
            return DraftComparison::Repeated {
                app: (*app).to_owned(),
            };
        }
        let named = |added: &&AddedServer| added.draft.name == server.draft.name;
        let opens_alike = |added: &&AddedServer| !differs(added).into_iter().any(decides);
        match self
            .added
            .iter()
            .find(named)
            .or(self.added.iter().find(opens_alike))
        {
            Some(added) => comparison_with(added, differs(added)),
            None => DraftComparison::New,
        }
    }
}

fn comparison_with(added: &AddedServer, differences: Vec<DraftPart>) -> DraftComparison {
    DraftComparison::Added {
        server: added.id,
        name: added.draft.name.clone(),
        differences,
    }
}

/// What differs between a place that was found and one that is added. A hole fits any text.
fn differences(found: &PlaceDraft, added: &PlaceDraft, holes: &[String]) -> Vec<DraftPart> {
    let parts = match (found, added) {
        (PlaceDraft::Here(found), PlaceDraft::Here(added)) => program(found, added, holes),
        (PlaceDraft::Address(found), PlaceDraft::Address(added)) => address(found, added, holes),
        _ => vec![(DraftPart::Place, true)],
    };
    let differing = parts.into_iter().filter(|(_, differs)| *differs);
    differing.map(|(part, _)| part).collect()
}

fn program(found: &ProgramDraft, added: &ProgramDraft, holes: &[String]) -> Vec<(DraftPart, bool)> {
    let arguments = found.args.len() != added.args.len()
        || (found.args.iter().zip(&added.args)).any(|(found, added)| !fits(found, added, holes));
    let folder = match (&found.folder, &added.folder) {
        (Some(found), Some(added)) => !fits(found, added, holes),
        // A folder to fill in may be left out.
        (Some(found), None) => !holes.iter().any(|hole| found.contains(hole)),
        (None, added) => added.is_some(),
    };
    vec![
        (DraftPart::Command, !fits(&found.command, &added.command, holes)),
        (DraftPart::Arguments, arguments),
        (DraftPart::Variables, names(&found.env) != names(&added.env)),
        (DraftPart::Folder, folder),
    ]
}

fn address(found: &EndpointDraft, added: &EndpointDraft, holes: &[String]) -> Vec<(DraftPart, bool)> {
    let headers = |pairs: &[EnvPair]| -> Vec<String> {
        let mut names: Vec<String> = pairs.iter().map(|pair| pair.name.to_ascii_lowercase()).collect();
        names.sort();
        names
    };
    vec![
        (DraftPart::Address, !fits(&found.url, &added.url, holes)),
        (DraftPart::Transport, found.transport != added.transport),
        (
            DraftPart::Headers,
            headers(&found.headers) != headers(&added.headers),
        ),
    ]
}

fn names(pairs: &[EnvPair]) -> Vec<&str> {
    let mut names: Vec<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
    names.sort_unstable();
    names
}

/// Whether a text is another one once its holes are filled in.
fn fits(written: &str, filled: &str, holes: &[String]) -> bool {
    let first = holes
        .iter()
        .filter_map(|hole| Some((written.find(hole)?, hole)))
        .min();
    let Some((at, hole)) = first else {
        return written == filled;
    };
    let Some(rest) = filled.strip_prefix(&written[..at]) else {
        return false;
    };
    let written = &written[at + hole.len()..];
    let next = holes.iter().filter_map(|hole| written.find(hole)).min();
    match next {
        None => rest.ends_with(written),
        Some(end) => match rest.find(&written[..end]) {
            None => false,
            Some(start) => fits(written, &rest[start..], holes),
        },
    }
}

/// Whether two servers that differ in this part are different programs or addresses.
fn decides(part: DraftPart) -> bool {
    use DraftPart::{Address, Arguments, Command, Place};
    matches!(part, Place | Command | Arguments | Address)
}
