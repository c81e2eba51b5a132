//! What Node.js, Python, shells and the loader of the system say, whatever the launcher.

use vestibule_app_protocol::{Diagnosis, FailureCause, FormPart, Guide, NextStep, RuntimeTool};

use super::diagnosis;
use super::output::ProgramOutput;
use super::signs::Sign;
use super::steps::{ask_variables, edit, guide, install};
use super::tools::tool_of;

/// Variables that programs read to go through a proxy.
const PROXY_VARIABLES: [&str; 3] = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/// What stands between a program and the network. Launchers name it beside an error of their own, so it is compared first.
pub(super) const NETWORK: &[Sign] = &[
    Sign {
        texts: &[
            "407 proxy authentication",
            "proxy authentication required",
            "statuscode=407",
            "response 407",
            "unsuccessful tunnel",
        ],
        read: |_, _| diagnosis(FailureCause::ProxyInTheWay, ask_variables(&PROXY_VARIABLES)),
    },
    Sign {
        texts: &[
            "self_signed_cert_in_chain",
            "unable_to_verify_leaf_signature",
            "unable_to_get_issuer_cert",
            "depth_zero_self_signed_cert",
            "self-signed certificate in certificate chain",
            "unable to get local issuer certificate",
            "invalid peer certificate: unknownissuer",
            "certificate_verify_failed",
        ],
        read: |_, given| {
            let variable = match tool_of(&given.command) {
                Some(RuntimeTool::Uv | RuntimeTool::Python) => "SSL_CERT_FILE",
                _ => "NODE_EXTRA_CA_CERTS",
            };
            diagnosis(
                FailureCause::CertificateUnknownToProgram,
                ask_variables(&[variable]),
            )
        },
    },
];

pub(super) const SIGNS: &[Sign] = &[
    Sign {
        texts: &["no version is set for command", "no version is set for shim"],
        read: |_, _| {
            let manager = "asdf".to_owned();
            diagnosis(FailureCause::NoVersionSet { manager }, edit(FormPart::Command))
        },
    },
    Sign {
        texts: &[
            "ebadengine",
            "err_require_esm",
            "unsupported engine",
            "the engine \"node\"",
        ],
        read: |_, _| too_old(RuntimeTool::Node),
    },
    Sign {
        texts: &["syntaxerror: unexpected token"],
        read: |output, _| match output.has(&["node:internal", "internal/modules"]) {
            true => too_old(RuntimeTool::Node),
            false => None,
        },
    },
    Sign {
        texts: &["env: "],
        read: |output, _| {
            let program = output.name_after("env: ")?;
            let missing = output.has(&["no such file or directory"]);
            missing.then(|| interpreter_missing(&program))?
        },
    },
    Sign {
        texts: &[": command not found", ": not found"],
        read: |output, _| {
            let shell = output.has(&["sh: ", "bash: "]);
            let program = output
                .name_before(": command not found")
                .or_else(|| output.name_before(": not found"));
            program
                .filter(|_| shell)
                .and_then(|name| interpreter_missing(&name))
        },
    },
    Sign {
        texts: &["error while loading shared libraries: "],
        read: |output, _| {
            let library = output.name_after("error while loading shared libraries: ")?;
            diagnosis(FailureCause::LibraryMissing { library }, NextStep::Log)
        },
    },
    Sign {
        texts: &["version `glibc_"],
        read: |_, _| {
            let library = "glibc".to_owned();
            diagnosis(FailureCause::LibraryMissing { library }, NextStep::Log)
        },
    },
    Sign {
        texts: &["cannot find module ", "cannot find package "],
        read: |output, _| {
            let module = output
                .name_after("cannot find package ")
                .or_else(|| output.name_after("cannot find module "))?;
            module_missing(module, RuntimeTool::Node)
        },
    },
    Sign {
        texts: &["modulenotfounderror: no module named ", ": no module named "],
        read: |output, _| module_missing(output.name_after("no module named ")?, RuntimeTool::Python),
    },
    Sign {
        texts: &[
            "gyp err!",
            "command 'gcc' failed",
            "command '/usr/bin/gcc' failed",
            "failed to build ",
            "failed building wheel",
            "linker `cc` not found",
        ],
        read: |_, _| diagnosis(FailureCause::NotCompiled, guide(Guide::BuildTools)),
    },
    Sign {
        texts: &["cannot execute binary file"],
        read: |_, _| diagnosis(FailureCause::WrongFormat, edit(FormPart::Command)),
    },
];

fn too_old(tool: RuntimeTool) -> Option<Diagnosis> {
    diagnosis(FailureCause::RuntimeTooOld { tool }, install(tool))
}

fn module_missing(module: String, tool: RuntimeTool) -> Option<Diagnosis> {
    diagnosis(
        FailureCause::ModuleMissing { module, tool },
        guide(Guide::Modules { tool }),
    )
}

fn interpreter_missing(program: &str) -> Option<Diagnosis> {
    let tool = tool_of(program);
    let step = tool.map_or_else(|| edit(FormPart::Command), install);
    let program = program.to_owned();
    diagnosis(FailureCause::InterpreterMissing { program, tool }, step)
}

/// Whether the program wrote nothing but what its launcher says while it downloads.
pub(super) fn is_downloading(output: &ProgramOutput) -> bool {
    output.is_silent()
        || output.has(&[
            "npm warn",
            "npm http fetch",
            "downloading",
            "pulling from",
            "pull complete",
            "building ",
            "resolved ",
        ])
}
