//! What uv, uvx and pip say where they do not come to start a server.

use vestibule_app_protocol::{Diagnosis, FailureCause, FormPart, Guide, NextStep, RuntimeTool};
use vestibule_store::Program;

use super::diagnosis;
use super::output::ProgramOutput;
use super::signs::Sign;
use super::steps::{arguments, edit, guide, install};

/// What follows in uv's sentence after the number of executables.
const AVAILABLE: &str = "executables are available: - ";

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        texts: &["hash mismatch", "these packages do not match the hashes"],
        read: |_, _| diagnosis(FailureCause::DigestDiffers, NextStep::Log),
    },
    Sign {
        texts: &["network was disabled", "was not found in the cache"],
        read: |_, _| diagnosis(FailureCause::NotCached, edit(FormPart::Arguments)),
    },
    Sign {
        texts: &[
            "does not satisfy python",
            "no interpreter found for python",
            "requires a different python",
            "requires-python",
        ],
        read: |_, _| {
            let tool = RuntimeTool::Python;
            diagnosis(FailureCause::RuntimeTooOld { tool }, install(tool))
        },
    },
    Sign {
        texts: &[" was not found in the package registry"],
        read: |output, _| {
            let package = output.name_before(" was not found in the package registry")?;
            diagnosis(
                FailureCause::PackageMissing { package },
                edit(FormPart::Arguments),
            )
        },
    },
    Sign {
        texts: &["there is no version of ", "only the following versions of "],
        read: |output, _| {
            let package = output
                .name_after("there is no version of ")
                .or_else(|| output.name_after("only the following versions of "))?;
            diagnosis(
                FailureCause::VersionMissing { package },
                edit(FormPart::Arguments),
            )
        },
    },
    Sign {
        texts: &["no matching distribution found for "],
        read: |output, _| {
            let package = output.name_after("no matching distribution found for ")?;
            diagnosis(
                FailureCause::PackageMissing { package },
                edit(FormPart::Arguments),
            )
        },
    },
    Sign {
        texts: &["no solution found when resolving"],
        read: |_, _| diagnosis(FailureCause::VersionsConflict, edit(FormPart::Arguments)),
    },
    Sign {
        texts: &["is not provided by package", "executables are available"],
        read: wrong_command,
    },
    Sign {
        texts: &["failed to initialize cache", "failed to create cache"],
        read: |_, _| {
            let tool = RuntimeTool::Uv;
            diagnosis(
                FailureCause::CacheNotWritable { tool },
                guide(Guide::CacheOwner { tool }),
            )
        },
    },
    Sign {
        texts: &[
            "could not connect, are you offline",
            "error sending request for url",
            "failed to establish a new connection",
        ],
        read: |_, _| {
            let tool = RuntimeTool::Uv;
            diagnosis(FailureCause::RegistryUnreachable { tool }, NextStep::Retry)
        },
    },
];

/// The package has other programs. Where it has exactly one, the form names it.
fn wrong_command(output: &ProgramOutput, given: &Program) -> Option<Diagnosis> {
    let command = output.name_after("an executable named ")?;
    let package = output.name_after("is not provided by package ");
    let found = output
        .name_after(AVAILABLE)
        .filter(|_| !output.has(&[" - warning"]));
    let several = output
        .lines()
        .filter(|line| line.trim_start().starts_with("- "))
        .count()
        > 1;
    let found = found.filter(|_| !several);
    let step = match (&found, package, given.args.as_slice()) {
        (Some(found), Some(package), [first, rest @ ..]) if *first == package => {
            let before = ["--from".to_owned(), package, found.clone()];
            arguments([before.to_vec(), rest.to_vec()].concat())
        }
        _ => edit(FormPart::Arguments),
    };
    diagnosis(FailureCause::WrongCommand { command, found }, step)
}
