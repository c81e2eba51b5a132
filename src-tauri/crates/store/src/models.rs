//! The models the user set up: where each is and what it is called there. Keys are in the keychain, never
//! here.

use jiff::Timestamp;
use rusqlite::{Row, TransactionBehavior, params};
use vestibule_protocol::ModelId;

use crate::columns::{all, change, id, time};
use crate::{Store, StoreError};

/// A model the user can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRecord {
    pub id: ModelId,
    /// What the user calls it.
    pub label: String,
    /// Which protocol speaks to it, in the terms of the models crate.
    pub kind: String,
    /// Where it is, unless the kind says so itself.
    pub base_url: Option<String>,
    /// What it is called there.
    pub model: String,
    /// What a million tokens read cost, in millionths of a currency; `None` where the user does not know.
    pub price_in: Option<u32>,
    /// What a million tokens written cost, in the same unit.
    pub price_out: Option<u32>,
    /// What a million tokens read from the vendor's cache cost; `None` where the user does not know.
    pub price_cached: Option<u32>,
    /// The most tokens it may be made to read; `None` leaves it to Vestibule.
    pub context: Option<u32>,
    /// When it was set up; kept to the millisecond.
    pub created: Timestamp,
}

impl Store {
    /// All models, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn models(&self) -> Result<Vec<ModelRecord>, StoreError> {
        self.read(|c| all(c, "SELECT * FROM models ORDER BY created, id", [], from_row))
            .await
    }

    /// Adds a model or replaces the one with the same id.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn put_model(&self, model: &ModelRecord) -> Result<(), StoreError> {
        let model = model.clone();
        self.write(move |c| {
            change(
                c,
                "INSERT INTO models (id, label, kind, base_url, model, created, price_in, price_out,
                                     price_cached, context)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (id) DO UPDATE SET label = ?2, kind = ?3, base_url = ?4, model = ?5, created = ?6,
                                                price_in = ?7, price_out = ?8, price_cached = ?9,
                                                context = ?10",
                params![
                    model.id.to_string(),
                    model.label,
                    model.kind,
                    model.base_url,
                    model.model,
                    model.created.as_millisecond(),
                    model.price_in,
                    model.price_out,
                    model.price_cached,
                    model.context,
                ],
            )?;
            Ok(())
        })
        .await
    }

    /// Removes a model with its replies in the vendor's form; chats that used it go back to the default. Removing one that is not there changes
    /// nothing.
    ///
    /// # Errors
    /// As for every write: [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Busy`], [`StoreError::Io`].
    pub async fn remove_model(&self, model: ModelId) -> Result<(), StoreError> {
        let model = model.to_string();
        self.write(move |c| {
            let transaction = c.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change(
                &transaction,
                "UPDATE chats SET model = NULL WHERE model = ?1",
                [&model],
            )?;
            // Nothing goes back to it any more.
            change(
                &transaction,
                "DELETE FROM native_replies WHERE connection = ?1",
                [&model],
            )?;
            change(&transaction, "DELETE FROM models WHERE id = ?1", [&model])?;
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<ModelRecord> {
    Ok(ModelRecord {
        id: id(row, "id")?,
        label: row.get("label")?,
        kind: row.get("kind")?,
        base_url: row.get("base_url")?,
        model: row.get("model")?,
        price_in: row.get("price_in")?,
        price_out: row.get("price_out")?,
        price_cached: row.get("price_cached")?,
        context: row.get("context")?,
        created: time(row, "created")?,
    })
}
