//! What npm and npx say where they do not come to start a server.

use vestibule_app_protocol::{Diagnosis, FailureCause, FormPart, Guide, NextStep, RuntimeTool};
use vestibule_store::Program;

use super::diagnosis;
use super::output::ProgramOutput;
use super::signs::Sign;
use super::steps::{arguments, edit, guide};

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        texts: &["due to missing packages and no yes option"],
        read: |_, given| {
            let args = [vec!["-y".to_owned()], given.args.clone()].concat();
            diagnosis(FailureCause::NoYes, arguments(args))
        },
    },
    Sign {
        texts: &["eintegrity"],
        read: |_, _| diagnosis(FailureCause::DigestDiffers, NextStep::Log),
    },
    Sign {
        texts: &["code etarget", "no matching version found for"],
        read: |output, _| {
            let package = output.name_after("no matching version found for ")?;
            diagnosis(
                FailureCause::VersionMissing { package },
                edit(FormPart::Arguments),
            )
        },
    },
    Sign {
        texts: &["code e404", "is not in this registry"],
        read: missing_package,
    },
    Sign {
        texts: &["enotcached"],
        read: |_, _| diagnosis(FailureCause::NotCached, edit(FormPart::Arguments)),
    },
    Sign {
        texts: &["could not determine executable to run"],
        read: |_, given| {
            let command = given.args.iter().find(|arg| !arg.starts_with('-'))?.clone();
            let cause = FailureCause::WrongCommand { command, found: None };
            diagnosis(cause, edit(FormPart::Arguments))
        },
    },
    Sign {
        texts: &[
            "npm error code eacces",
            "npm err! code eacces",
            "npm error code eperm",
        ],
        read: |_, _| {
            let tool = RuntimeTool::Node;
            diagnosis(
                FailureCause::CacheNotWritable { tool },
                guide(Guide::CacheOwner { tool }),
            )
        },
    },
    Sign {
        texts: &["enospc", "no space left on device"],
        read: |_, _| diagnosis(FailureCause::DiskFull, NextStep::Retry),
    },
    Sign {
        texts: &[
            "code econnrefused",
            "code enotfound",
            "code eai_again",
            "code etimedout",
            "code econnreset",
            "code err_socket_timeout",
            "code enetunreach",
        ],
        read: |_, _| {
            let tool = RuntimeTool::Node;
            diagnosis(FailureCause::RegistryUnreachable { tool }, NextStep::Retry)
        },
    },
];

fn missing_package(output: &ProgramOutput, _given: &Program) -> Option<Diagnosis> {
    let named = output
        .name_before(" is not in this registry")
        .or_else(|| output.name_before(" is not in the npm registry"))
        // Since 11.19.
        .or_else(|| output.name_before(" could not be found or you do not have permission"))?;
    let package = named
        .trim_end_matches("@*")
        .trim_end_matches("@latest")
        .to_owned();
    diagnosis(
        FailureCause::PackageMissing { package },
        edit(FormPart::Arguments),
    )
}
