//! Launches that are compiled and checked, and may be counted.

use warpsmith::{Kernel, Launch};

/// The costs of launches, in their order.
#[cfg(feature = "simulator")]
pub(super) type Counts = std::rc::Rc<std::cell::RefCell<Vec<warpsmith::metrics::Report>>>;

/// A launch of a call, compiled and checked, which can be repeated with arguments of the same types.
pub struct Ready<K: Kernel> {
    pub(super) launch: warpsmith::launch::Prepared<K>,
    /// What counts its costs, if anything does.
    #[cfg(feature = "simulator")]
    pub(super) counts: Option<Counts>,
}

impl<K: Kernel> Ready<K> {
    /// Launches: `ready.launch(kernel(&x, &mut y))`.
    ///
    /// # Errors
    /// Those of [`warpsmith::launch::Prepared::launch`].
    pub fn launch(&self, call: Launch<'_, K>) -> Result<(), warpsmith::Error> {
        #[cfg(feature = "simulator")]
        if let Some(counts) = &self.counts {
            counts.borrow_mut().push(self.launch.metrics(call)?);
            return Ok(());
        }
        self.launch.launch(call)
    }
}
