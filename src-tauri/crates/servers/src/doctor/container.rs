//! What docker and podman say where a container does not come to run, and what their arguments lack.

use vestibule_app_protocol::{FailureCause, FormPart, Guide, NextStep, RuntimeTool};
use vestibule_store::Program;

use super::diagnosis;
use super::signs::Sign;
use super::steps::{arguments, edit, guide, install};
use super::tools::tool_of;

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        texts: &[
            "permission denied while trying to connect to the docker",
            "got permission denied while trying to connect",
        ],
        read: |_, _| diagnosis(FailureCause::DockerNotAllowed, guide(Guide::DockerGroup)),
    },
    Sign {
        texts: &[
            "cannot connect to the docker daemon",
            "is the docker daemon running",
            "failed to connect to the docker api",
            "docker desktop is not running",
            "cannot connect to podman",
        ],
        read: |_, _| diagnosis(FailureCause::DockerNotRunning, guide(Guide::DockerStart)),
    },
    Sign {
        texts: &["docker-credential-"],
        read: |output, _| {
            let rest = output.name_after("docker-credential-")?;
            let helper = format!("docker-credential-{rest}");
            diagnosis(
                FailureCause::DockerHelperMissing { helper },
                edit(FormPart::Variables),
            )
        },
    },
    Sign {
        texts: &["no matching manifest for", "exec format error"],
        read: |_, given| match is_container(given) {
            true => diagnosis(FailureCause::ImageOtherProcessor, edit(FormPart::Arguments)),
            false => diagnosis(FailureCause::WrongFormat, edit(FormPart::Command)),
        },
    },
    Sign {
        texts: &[
            "pull access denied",
            "manifest unknown",
            "repository does not exist",
            "unable to find image",
        ],
        read: |output, _| {
            let away = output.has(&["no such host", "i/o timeout", "connection refused"]);
            let tool = RuntimeTool::Docker;
            match away {
                true => diagnosis(FailureCause::RegistryUnreachable { tool }, NextStep::Retry),
                false => diagnosis(FailureCause::ImageMissing, edit(FormPart::Arguments)),
            }
        },
    },
    Sign {
        texts: &["the input device is not a tty"],
        read: |_, given| {
            let args = without_terminal(&given.args);
            diagnosis(FailureCause::NeedsTerminal, arguments(args))
        },
    },
    Sign {
        texts: &["'buildx' is not a docker command", "unknown docker command"],
        read: |_, _| diagnosis(FailureCause::ArgumentsRefused, install(RuntimeTool::Docker)),
    },
];

pub(super) fn is_container(given: &Program) -> bool {
    matches!(
        tool_of(&given.command),
        Some(RuntimeTool::Docker | RuntimeTool::Podman)
    )
}

/// The arguments with `-i`, where `run` is without it.
pub(super) fn with_input(given: &Program) -> Option<Vec<String>> {
    let run = given.args.iter().position(|arg| arg == "run")?;
    let keeps_input = |arg: &String| {
        arg.starts_with("--interactive")
            || (arg.starts_with('-') && !arg.starts_with("--") && arg.contains('i'))
    };
    if !is_container(given) || given.args[run..].iter().any(keeps_input) {
        return None;
    }
    let mut args = given.args.clone();
    args.insert(run + 1, "-i".to_owned());
    Some(args)
}

fn without_terminal(args: &[String]) -> Vec<String> {
    let one = |arg: &String| match arg.as_str() {
        "-t" | "--tty" | "--tty=true" => None,
        "-it" | "-ti" => Some("-i".to_owned()),
        _ => Some(arg.clone()),
    };
    args.iter().filter_map(one).collect()
}
