//! What the system must not keep of this program: a core dump holds tokens and keys. Memory and the number of processes
//! are not limited, because servers such as language runtimes reserve much more than they use, and the number counts
//! all processes of the user.

use rustix::process::{Resource, Rlimit, setrlimit};

/// Turns core dumps off for this process and all that it starts.
pub fn forbid_core_dumps() {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // Lowering a limit is always allowed; where it fails there is nothing else to try.
    let _ = setrlimit(Resource::Core, none);
}

/// The same for the processes of the guard, which hold the variables of servers. On Linux no other process of the user can
/// read their memory any more. The application itself stays readable, because keychains and desktop portals identify it by
/// what `/proc` shows of it.
pub(super) fn protect_process() {
    forbid_core_dumps();
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // The limit alone does not stop a dump that the system pipes to a program. A program that this process runs is
        // readable again.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}
