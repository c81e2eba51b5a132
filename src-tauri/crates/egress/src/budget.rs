//! How much of one server's words is held at the same time, over all its exchanges. Each piece in memory has
//! its share; when all of it is taken, a request for more fails or waits, so that many answers at once cost no
//! more than a few large ones.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::EgressError;

/// Shares are counted in steps of this many bytes.
const STEP: usize = 1024;

/// What may be held for one server.
#[derive(Clone, Debug)]
pub struct MemoryBudget(Arc<Semaphore>);

/// A part of a [`MemoryBudget`], given back when dropped.
#[derive(Debug)]
pub struct Share {
    budget: MemoryBudget,
    permit: Option<OwnedSemaphorePermit>,
}

impl MemoryBudget {
    /// A budget of this many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.div_ceil(STEP))))
    }

    /// A share of nothing yet.
    #[must_use]
    pub fn share(&self) -> Share {
        Share {
            budget: self.clone(),
            permit: None,
        }
    }
}

impl Share {
    /// Makes the share cover this many bytes, if it does not yet.
    ///
    /// # Errors
    /// [`EgressError::Crowded`] when the budget does not have them.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), EgressError> {
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let Some(missing) = bytes
            .div_ceil(STEP)
            .checked_sub(held)
            .filter(|missing| *missing > 0)
        else {
            return Ok(());
        };
        let missing = u32::try_from(missing).map_err(|_| EgressError::Crowded)?;
        let more = Arc::clone(&self.budget.0)
            .try_acquire_many_owned(missing)
            .map_err(|_| EgressError::Crowded)?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        Ok(())
    }

    /// Makes the share cover this many bytes, if it does not yet, and waits for them. Never ask
    /// for more than the whole budget.
    pub async fn wait_for(&mut self, bytes: usize) {
        let held = self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = u32::try_from(bytes.div_ceil(STEP).saturating_sub(held)).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        if missing > 0
            && let Ok(more) = Arc::clone(&self.budget.0).acquire_many_owned(missing).await
        {
            match &mut self.permit {
                Some(permit) => permit.merge(more),
                None => self.permit = Some(more),
            }
        }
    }

    pub fn release(&mut self) {
        self.permit = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_one_budget_never_exceed_it_and_come_back() {
        let budget = MemoryBudget::new(10 * STEP);
        let (mut one, mut other) = (budget.share(), budget.share());
        assert_eq!(one.grow_to(6 * STEP), Ok(()));
        assert_eq!(one.grow_to(3 * STEP), Ok(()), "shares do not shrink by growing");
        assert_eq!(other.grow_to(4 * STEP), Ok(()));
        assert_eq!(other.grow_to(4 * STEP + 1), Err(EgressError::Crowded));
        drop(one);
        assert_eq!(other.grow_to(10 * STEP), Ok(()));
        other.release();
        assert_eq!(budget.share().grow_to(10 * STEP), Ok(()));
    }
}
