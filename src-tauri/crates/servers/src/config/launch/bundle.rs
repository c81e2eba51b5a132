//! The launch of a server from a bundle: bound to the archive it was unpacked from and to every file of it, because the
//! program loads more of them than its command line names.

use vestibule_consent::{LaunchGap, LaunchGapKind, LaunchPackage, PackageState};
use vestibule_policy::BoundPackage;
use vestibule_store::Program;

use super::{LaunchPlan, bind};
use crate::bundle_folder::{BundleFolder, BundleInUse};

/// The bundle that a launch uses.
pub(super) fn in_use(given: &Program, bundle: &BundleFolder) -> Option<BundleInUse> {
    let words = std::iter::once(&given.command).chain(&given.args);
    bundle.in_use(words.map(String::as_str))
}

/// Adds the bundle that a launch uses to its plan.
pub(super) async fn bound(mut plan: LaunchPlan, given: &Program, used: BundleInUse) -> LaunchPlan {
    let tree = used.tree().await;
    if tree.is_err() {
        plan.facts.gaps.push(LaunchGap {
            kind: LaunchGapKind::Unreadable,
            what: bind::text(&used.folder),
        });
    }
    plan.record.package = Some(BoundPackage {
        args: given.args.clone(),
        name: used.about.name.clone(),
        version: used.about.version.clone(),
        lock: used.about.sha256.clone(),
        tree: tree.unwrap_or_default(),
    });
    plan.digest = plan.record.digest();
    plan.facts.package = Some(LaunchPackage {
        name: used.about.name,
        wanted: used.about.version,
        state: PackageState::Bundle {
            sha256: used.about.sha256,
        },
    });
    plan
}
