//! Events that are owned, as a stream and as a decoder: the same events that the cursor lends.

mod codec;
mod owned;
mod relay;
mod stream;
