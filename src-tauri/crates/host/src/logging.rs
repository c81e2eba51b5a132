//! What never stands in a log, whatever level the user asks for.

/// Targets, by their beginning, that write requests and replies out at their finer levels: what was said in a chat, and
/// the keys it was said with.
pub const SILENT_TARGETS: [&str; 4] = ["rig", "rig_core", "hyper", "reqwest"];
