//! The configurations of other applications on this computer, read for an import. The paths are in one table
//! (`apps`), the folders that they start from are passed in (`folders`), and each file is read within bounds (`files`).
//! Nothing is written, followed to another file, or asked of the environment here.

mod apps;
mod comparison;
mod files;
mod folders;

use vestibule_app_protocol::{
    AppConfigContent, AppConfigFile, AppConfigs, InputProblem, ParsedServer, ParsedServers,
};

pub use comparison::AddedServer;
pub use files::open_regular;
pub use folders::{AppFolders, AppSystem};

use super::AddressCheck;
use comparison::Comparisons;

/// The most servers that all files together may bring.
const MOST_SERVERS: usize = 500;

/// Reads the configurations of other applications and compares their servers with those that are `added`. Blocks on
/// the disk.
#[must_use]
pub fn app_configs(folders: &AppFolders, added: &[AddedServer], check: AddressCheck) -> AppConfigs {
    let mut comparisons = Comparisons::new(added);
    let mut count = 0;
    let files = files::find(folders).into_iter().map(|file| AppConfigFile {
        app: file.app.to_owned(),
        path: file.path.display().to_string(),
        content: match files::read(&file.path).and_then(|text| parse(&file, &text, &mut count, check)) {
            Ok(parsed) => content(parsed, file.app, &mut comparisons),
            Err(problem) => AppConfigContent::Unreadable {
                problem: problem.into(),
            },
        },
    });
    AppConfigs {
        files: files.collect(),
        apps: apps::names().map(str::to_owned).collect(),
    }
}

/// The servers of a file, as long as all of them together can be reviewed.
fn parse(
    file: &files::ConfigFile,
    text: &str,
    count: &mut usize,
    check: AddressCheck,
) -> Result<Option<ParsedServers>, InputProblem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let parsed = match super::parse_file(text, file.format(), check) {
        Err(InputProblem::JsonWithoutServers) => return Ok(None),
        parsed => parsed?,
    };
    let total = *count + parsed.servers.len() + parsed.skipped.len();
    if total > MOST_SERVERS {
        return Err(InputProblem::ServersTooMany {
            found: u32::try_from(total).unwrap_or(u32::MAX),
            limit: MOST_SERVERS as u32,
        });
    }
    *count = total;
    Ok(Some(parsed))
}

fn content(
    parsed: Option<ParsedServers>,
    app: &'static str,
    comparisons: &mut Comparisons<'_>,
) -> AppConfigContent {
    let Some(parsed) = parsed else {
        return AppConfigContent::NoServers;
    };
    let compare = |server: &ParsedServer| comparisons.compare(server, app);
    AppConfigContent::Servers {
        comparisons: parsed.servers.iter().map(compare).collect(),
        parsed,
    }
}

#[cfg(test)]
mod tests;
