//! Containers: which image a command runs, and whether its name stands for one content.

/// Flags of `docker run` without a value. Any other takes the next word.
const DOCKER_SWITCHES: [&str; 19] = [
    "-i",
    "-t",
    "-it",
    "-ti",
    "-d",
    "-P",
    "-q",
    "--interactive",
    "--tty",
    "--detach",
    "--rm",
    "--init",
    "--read-only",
    "--privileged",
    "--publish-all",
    "--quiet",
    "--no-healthcheck",
    "--oom-kill-disable",
    "--use-api-socket",
];

/// The image of `docker run`.
pub(super) fn image(args: &[String]) -> Option<&str> {
    let mut words = args.iter().map(String::as_str);
    if words.next() != Some("run") {
        return None;
    }
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            return Some(word);
        }
        if !DOCKER_SWITCHES.contains(&word) && !word.contains('=') {
            words.next();
        }
    }
    None
}

/// Whether an image is named by its content.
pub(super) fn has_digest(image: &str) -> bool {
    image
        .rsplit_once("@sha256:")
        .is_some_and(|(_, digest)| digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit()))
}
