//! An effect has one end in the ledger.
use vestibule_consent::{Effect, EffectEnd};

async fn twice(effect: Effect) {
    effect.finish(EffectEnd::Answered).await;
    effect.finish(EffectEnd::Failed).await;
}

fn main() {}
