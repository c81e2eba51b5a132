//! What the doctor says of a server that does not work: the cause it recognised, and the one next step that a button
//! offers. The sentences are in the UI's catalogue. Names in a cause were read from the output of a program or the answer
//! of a server, so they are bounded data of a third party. A step never does anything that is not asked again: it opens a
//! form or a text, signs in, shows the log, or starts the server, which has its own card.

use serde::Serialize;
use vestibule_protocol::TransportChoice;

/// Why a server does not work, and what to do next.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
pub struct Diagnosis {
    pub cause: FailureCause,
    pub step: NextStep,
}

/// A recognised reason why a server did not start, could not be reached or ended.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum FailureCause {
    /// The program is in no folder of the search path; `tool` is what installs it, where that is known.
    ProgramMissing {
        program: String,
        tool: Option<RuntimeTool>,
    },
    /// The program is not on the search path, but in a folder where such programs usually are.
    ProgramElsewhere {
        program: String,
        folder: String,
    },
    NotExecutable {
        path: String,
    },
    FolderMissing {
        folder: String,
    },
    /// The program was found; what runs it, or a program that it starts, was not.
    InterpreterMissing {
        program: String,
        tool: Option<RuntimeTool>,
    },
    /// The file was found; the program that its first line names was not.
    InterpreterNotThere {
        path: String,
    },
    /// The system does not know the format of the file: another processor, or no program at all.
    WrongFormat,
    /// The system refused to run it, although the file may be executed.
    NotPermitted,
    /// A version manager has no version set for the program.
    NoVersionSet {
        manager: String,
    },
    /// `npx` asked whether it may download, and its input is the protocol.
    NoYes,
    PackageMissing {
        package: String,
    },
    VersionMissing {
        package: String,
    },
    /// The versions that the packages demand exclude one another.
    VersionsConflict,
    /// The package is there and has no program of that name; `found` is the only one it has.
    WrongCommand {
        command: String,
        found: Option<String>,
    },
    /// npm, uv or docker reached no registry.
    RegistryUnreachable {
        tool: RuntimeTool,
    },
    /// Not downloaded before, and the launcher was run without network.
    NotCached,
    /// What was downloaded has another digest than it must have.
    DigestDiffers,
    /// A launcher may not write into a folder of its own.
    CacheNotWritable {
        tool: RuntimeTool,
    },
    DiskFull,
    /// The runtime is older than what the server needs.
    RuntimeTooOld {
        tool: RuntimeTool,
    },
    ModuleMissing {
        module: String,
        tool: RuntimeTool,
    },
    /// A dependency is compiled on this computer, and that failed.
    NotCompiled,
    LibraryMissing {
        library: String,
    },
    DockerNotRunning,
    DockerNotAllowed,
    DockerHelperMissing {
        helper: String,
    },
    ImageMissing,
    /// The image has no version for the processor of this computer.
    ImageOtherProcessor,
    /// `docker run` has an option that needs a terminal.
    NeedsTerminal,
    /// `docker run` does not keep its input open.
    InputNotPassed,
    /// Lines on the output that are no messages; `line` is the first of them.
    OutputNotMessages {
        line: String,
    },
    SilentEnd,
    /// npx ended with an error and no output, as it does where an install script of a package fails.
    NpxSilent,
    ValueMissing {
        name: String,
    },
    PathMissing {
        path: String,
    },
    /// The program printed how it is used.
    ArgumentsRefused,
    PortTaken {
        port: Option<u16>,
    },
    /// The system ended it with SIGKILL.
    Killed,
    /// It crashed with this signal.
    Crashed {
        signal: i32,
    },
    /// The download took longer than a start may take.
    DownloadSlow {
        tool: RuntimeTool,
    },
    /// The program did not reach the network through the proxy.
    ProxyInTheWay,
    /// The program does not trust the certificate that the network presented to it.
    CertificateUnknownToProgram,
    NameUnknown {
        host: String,
    },
    ConnectionRefused {
        host: String,
    },
    NetworkUnreachable {
        host: String,
    },
    /// Why the certificate of an address is not accepted.
    CertificateRefused {
        host: String,
        why: CertificateFault,
    },
    /// Something answers there, without encryption.
    NotEncrypted {
        host: String,
    },
    ProxySignIn,
    SignInWanted {
        host: String,
    },
    /// The address refused what the headers of these names hold.
    KeyRefused {
        headers: Vec<String>,
    },
    Forbidden {
        host: String,
    },
    NothingAtPath {
        path: String,
    },
    OlderTransport,
    FormRefused {
        status: u16,
    },
    WebPage {
        host: String,
    },
    Moved {
        to: String,
    },
    HostNameRefused,
    AsksToWait {
        seconds: Option<u32>,
    },
    ServerBroken {
        status: u16,
    },
    OtherProtocol {
        revision: String,
    },
}

/// What is wrong with the certificate of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum CertificateFault {
    UnknownIssuer,
    Expired,
    NotYetValid,
    OtherName,
    SelfSigned,
    Revoked,
    Invalid,
}

/// A runtime or a launcher that servers need and that the user installs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum RuntimeTool {
    Node,
    Python,
    Uv,
    Docker,
    Podman,
    Deno,
    Bun,
    Java,
    Dotnet,
    Go,
    Rust,
    Git,
}

/// What the button of a diagnosis does.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum NextStep {
    /// Shows how something is done, with a command to copy.
    Guide {
        guide: Guide,
    },
    /// Opens the form of the server at one of its parts, with these changes filled in and none saved.
    Edit {
        part: FormPart,
        corrections: Vec<Correction>,
    },
    SignIn,
    Log,
    /// Starts or connects once more.
    Retry,
}

/// A text with a command to copy. The command is ours; of foreign data it holds at most a number.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "guide", rename_all = "snake_case")]
pub enum Guide {
    Install { tool: RuntimeTool },
    CacheOwner { tool: RuntimeTool },
    Modules { tool: RuntimeTool },
    BuildTools,
    DockerStart,
    DockerGroup,
    Port { port: u16 },
}

/// A part of the form of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
#[serde(rename_all = "snake_case")]
pub enum FormPart {
    Command,
    Arguments,
    Variables,
    Folder,
    Address,
    Headers,
    Transport,
}

/// A change that the form of a server is opened with.
#[derive(Clone, Debug, PartialEq, Serialize, ts_rs::TS)]
#[serde(tag = "set", rename_all = "snake_case")]
pub enum Correction {
    Command {
        command: String,
    },
    Arguments {
        args: Vec<String>,
    },
    /// A variable to add; the user enters the value where it is empty.
    Variable {
        name: String,
        value: String,
    },
    Address {
        url: String,
    },
    Transport {
        transport: TransportChoice,
    },
}
