//! Images of a reply: data URLs whose type and base64 are checked.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use serde::{Deserialize, Serialize};

use crate::utf8;

/// The default limit for an image, in bytes of its data URL: 20 MiB.
pub const IMAGE_LIMIT: usize = 20 << 20;

/// How many of an image's first bytes are enough to tell its type.
const HEAD: usize = 64;

/// How many bytes of base64 are decoded at once. A multiple of four.
const PIECE: usize = 4096;

/// An image as a data URL, which is kept byte for byte.
///
/// The image is a PNG, JPEG, GIF or WebP, and its declared type is the one its bytes have.
///
/// ```
/// use followup::dialogue::{IMAGE_LIMIT, Image, ImageError};
///
/// let image = Image::from_bytes(b"\x89PNG\r\n\x1a\n and so on", IMAGE_LIMIT)?;
/// assert_eq!(image.media_type(), "image/png");
/// assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT)?, image);
///
/// let wrong = image.data_url().replace("image/png", "image/gif");
/// assert_eq!(
///     Image::from_data_url(&wrong, IMAGE_LIMIT),
///     Err(ImageError::WrongType { declared: "image/gif".into(), actual: Some("image/png") })
/// );
/// # Ok::<(), ImageError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Image {
    url: String,
    kind: ImageKind,
    /// The offset of the base64 in the URL.
    data: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ImageKind {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl ImageKind {
    const ALL: [ImageKind; 4] = [ImageKind::Png, ImageKind::Jpeg, ImageKind::Gif, ImageKind::WebP];

    /// Returns the type that the bytes have.
    fn of(bytes: &[u8]) -> Option<ImageKind> {
        ImageKind::ALL.into_iter().find(|kind| kind.has_signature(bytes))
    }

    /// Returns `true` if the bytes begin with the whole signature.
    fn has_signature(self, bytes: &[u8]) -> bool {
        match self {
            ImageKind::Png => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
            ImageKind::Jpeg => bytes.starts_with(b"\xFF\xD8\xFF"),
            ImageKind::Gif => bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
            ImageKind::WebP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        }
    }

    /// Returns the type with this media type, in any case. `image/jpg` is a common name for JPEG.
    fn from_media_type(media_type: &str) -> Option<ImageKind> {
        let is = |one: &str| media_type.eq_ignore_ascii_case(one);
        if is("image/jpg") {
            return Some(ImageKind::Jpeg);
        }
        ImageKind::ALL.into_iter().find(|known| is(known.media_type()))
    }

    fn media_type(self) -> &'static str {
        match self {
            ImageKind::Png => "image/png",
            ImageKind::Jpeg => "image/jpeg",
            ImageKind::Gif => "image/gif",
            ImageKind::WebP => "image/webp",
        }
    }
}

/// Why an image can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// The data URL is longer than the limit.
    TooLarge {
        /// The length of the data URL.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The image has no bytes.
    Empty,
    /// The text is not a `data:image/…;base64,…`.
    NotADataUrl,
    /// The data after the comma is not base64.
    NotBase64 {
        /// The offset in the data URL of the first character that is not a base64 digit.
        ///
        /// It is the end of the URL if something is missing there.
        offset: usize,
    },
    /// The bytes are not a PNG, JPEG, GIF or WebP.
    UnknownType,
    /// The bytes have another type than the data URL declares.
    WrongType {
        /// The declared type.
        declared: String,
        /// The type of the bytes, if it is known.
        actual: Option<&'static str>,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::TooLarge { bytes, limit } => {
                write!(f, "the image has {bytes} bytes as a data URL, and may have {limit}: make it smaller")
            }
            ImageError::Empty => f.write_str("the image is empty: it has no bytes"),
            ImageError::NotADataUrl => {
                f.write_str("the image is not a data URL: it should begin with data:image/…;base64,")
            }
            ImageError::NotBase64 { offset } => write!(
                f,
                "the image's data is not base64 from byte {offset} of the data URL on: \
                 it should be complete, padded, and without white space"
            ),
            ImageError::UnknownType => {
                f.write_str("the image is not a PNG, JPEG, GIF or WebP: convert it to one of them")
            }
            ImageError::WrongType { declared, actual: Some(actual) } => {
                write!(f, "the image is declared as {}, but is {actual}: declare it as that", Shortened(declared))
            }
            ImageError::WrongType { declared, actual: None } => write!(
                f,
                "the image is declared as {}, but is not a PNG, JPEG, GIF or WebP: convert it to one of them",
                Shortened(declared)
            ),
        }
    }
}

impl core::error::Error for ImageError {}

/// A declared type, cut to fit into a message: it may be as long as the URL.
struct Shortened<'a>(&'a str);

impl fmt::Display for Shortened<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 40;
        let end = utf8::floor_char_boundary(self.0, MOST);
        f.write_str(&self.0[..end])?;
        if end < self.0.len() { f.write_str("…") } else { Ok(()) }
    }
}

impl Image {
    /// Returns the image with these bytes.
    ///
    /// Only the first bytes are checked, so the image may still be damaged or cut off. Cost:
    /// linear; one copy as base64, none if the image is too large.
    ///
    /// # Errors
    ///
    /// If the image is too large, empty, or of an unknown type.
    pub fn from_bytes(bytes: &[u8], limit: usize) -> Result<Image, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        let kind = ImageKind::of(bytes).ok_or(ImageError::UnknownType)?;
        let mut url = format!("data:{};base64,", kind.media_type());
        let data = url.len();
        let whole = bytes.len().div_ceil(3).saturating_mul(4).saturating_add(data);
        if whole > limit {
            return Err(ImageError::TooLarge { bytes: whole, limit });
        }
        STANDARD.encode_string(bytes, &mut url);
        Ok(Image { url, kind, data })
    }

    /// Returns the image of a data URL.
    ///
    /// `data:`, the type and `base64` may be in any case, and `image/jpg` is JPEG. Cost: linear;
    /// one copy, none if the image is too large.
    ///
    /// ```
    /// use followup::dialogue::{IMAGE_LIMIT, Image};
    ///
    /// let image = Image::from_data_url("DATA:image/JPG;Base64,/9j/4AA=", IMAGE_LIMIT)?;
    /// assert_eq!(image.data_url(), "DATA:image/JPG;Base64,/9j/4AA=");
    /// assert_eq!((image.media_type(), image.base64()), ("image/jpeg", "/9j/4AA="));
    /// # Ok::<(), followup::dialogue::ImageError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the image is too large or empty, if this is not a data URL of an image in base64, or if
    /// the bytes have another type than it declares.
    pub fn from_data_url(url: &str, limit: usize) -> Result<Image, ImageError> {
        if url.len() > limit {
            return Err(ImageError::TooLarge { bytes: url.len(), limit });
        }
        let (kind, data) = check(url)?;
        Ok(Image { url: url.into(), kind, data })
    }

    /// Returns the data URL unchanged.
    pub fn data_url(&self) -> &str {
        &self.url
    }

    /// Returns `image/png`, `image/jpeg`, `image/gif` or `image/webp`, however the URL writes it.
    pub fn media_type(&self) -> &'static str {
        self.kind.media_type()
    }

    /// Returns the bytes as padded base64: the part of the URL after the comma.
    pub fn base64(&self) -> &str {
        &self.url[self.data..]
    }
}

/// Checks a data URL. Returns the type of its image and the offset of its base64.
fn check(url: &str) -> Result<(ImageKind, usize), ImageError> {
    let inside = without_prefix(url, "data:").ok_or(ImageError::NotADataUrl)?;
    let (header, data) = inside.split_once(',').ok_or(ImageError::NotADataUrl)?;
    let mut header = header.split(';');
    let declared = header.next().unwrap_or_default();
    let is_base64 = header.next_back().is_some_and(|last| last.eq_ignore_ascii_case("base64"));
    if without_prefix(declared, "image/").is_none() || !is_base64 {
        return Err(ImageError::NotADataUrl);
    }
    if data.is_empty() {
        return Err(ImageError::Empty);
    }
    let start = url.len() - data.len();
    let head = decode_head(data.as_bytes()).map_err(|offset| ImageError::NotBase64 { offset: start + offset })?;
    match ImageKind::of(&head) {
        Some(kind) if ImageKind::from_media_type(declared) == Some(kind) => Ok((kind, start)),
        actual => Err(ImageError::WrongType { declared: declared.into(), actual: actual.map(ImageKind::media_type) }),
    }
}

/// Checks all of the base64 and returns its first bytes, decoded.
///
/// A provider would refuse invalid base64. It is decoded in pieces, so that megabytes are not
/// copied. The error is the offset from which on it is not base64.
fn decode_head(data: &[u8]) -> Result<Vec<u8>, usize> {
    let mut decoded = [0; PIECE / 4 * 3];
    let mut head = Vec::new();
    for (index, piece) in data.chunks(PIECE).enumerate() {
        let start = index * PIECE;
        let is_last = start + piece.len() == data.len();
        let written = STANDARD.decode_slice(piece, &mut decoded);
        // Padding is valid only at the end of the last piece.
        let length = match written {
            Ok(length) if is_last || length == decoded.len() => length,
            _ => {
                let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
                return Err(start + piece.iter().position(|&byte| !is_digit(byte)).unwrap_or(piece.len()));
            }
        };
        if index == 0 {
            head.extend(decoded[..length].iter().take(HEAD));
        }
    }
    Ok(head)
}

/// Returns the text after a prefix, which may be in any case.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (found, rest) = text.split_at_checked(prefix.len())?;
    found.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Leaves out the megabytes.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({}, {} bytes)", self.media_type(), self.url.len())
    }
}

impl From<Image> for String {
    fn from(image: Image) -> String {
        image.url
    }
}

impl TryFrom<String> for Image {
    type Error = ImageError;

    fn try_from(url: String) -> Result<Image, ImageError> {
        // It was within the limit when it was stored, and it is in memory already.
        let (kind, data) = check(&url)?;
        Ok(Image { url, kind, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn the_type_is_that_of_the_bytes() {
        for (bytes, media_type) in [
            (PNG, Some("image/png")),
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF", Some("image/jpeg")),
            (b"\xFF\xD8\xFF", Some("image/jpeg")),
            (b"GIF89a\x01\0\x01\0", Some("image/gif")),
            (b"GIF87a", Some("image/gif")),
            (b"\x89PNG\r\n\x1a\n", Some("image/png")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"BM\0\0\0\0", None),
            (b"GIF is a format", None),
            (b"GIF88a", None),
            (b"GIF89", None),
            (b"\x89PNG", None),
            (b"\x89PNG\n\x1a\n\0\0", None),
            (b"\xFF\xD8", None),
            (b"What a \0WEBP is", None),
            (b"a sound WEBP is", None),
            (b"RIFF\x24\0\0\0WAVEfmt ", None),
            (b"RIFF\x24\0\0\0WEB", None),
            (b"<svg/>", None),
            (b"%PDF-1.7", None),
            (b"", None),
        ] {
            let image = Image::from_bytes(bytes, IMAGE_LIMIT);
            assert_eq!(image.as_ref().ok().map(Image::media_type), media_type);
            if let Ok(image) = image {
                assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT), Ok(image));
            }
        }
    }

    #[test]
    fn the_limit_counts_the_data_url() {
        let len = Image::from_bytes(PNG, IMAGE_LIMIT).unwrap().data_url().len();
        let too_large = ImageError::TooLarge { bytes: len, limit: len - 1 };
        assert!(Image::from_bytes(PNG, len).is_ok());
        assert_eq!(Image::from_bytes(PNG, len - 1), Err(too_large.clone()));
        let url = Image::from_bytes(PNG, len).unwrap();
        assert_eq!(Image::from_data_url(url.data_url(), len - 1), Err(too_large));
    }

    #[test]
    fn a_data_url_may_be_in_any_case_and_is_kept_unchanged() {
        for (url, media_type) in [
            ("data:image/jpg;base64,/9j/", "image/jpeg"),
            ("DATA:IMAGE/JPEG;BASE64,/9j/", "image/jpeg"),
            ("data:Image/Gif;Base64,R0lGODlh", "image/gif"),
            ("data:image/gif;name=a.gif;base64,R0lGODlh", "image/gif"),
        ] {
            let image = Image::from_data_url(url, IMAGE_LIMIT).unwrap();
            assert_eq!((image.data_url(), image.media_type()), (url, media_type));
            assert_eq!(Some(image.base64()), url.split(',').nth(1));
            let stored = serde_json::to_string(&image).unwrap();
            assert_eq!(serde_json::from_str::<Image>(&stored).unwrap(), image);
        }
    }

    #[test]
    fn a_text_that_is_not_an_image_is_an_error_that_says_why() {
        for (url, error) in [
            ("", ImageError::NotADataUrl),
            ("https://a/b.png", ImageError::NotADataUrl),
            ("data:image/png,abc", ImageError::NotADataUrl),
            ("data:text/plain;base64,aGk=", ImageError::NotADataUrl),
            ("dat", ImageError::NotADataUrl),
            ("datå:image/png;base64,", ImageError::NotADataUrl),
            (
                "data:image/gif;base64,/9j/",
                ImageError::WrongType { declared: "image/gif".into(), actual: Some("image/jpeg") },
            ),
            (
                "data:image/jpg;base64,R0lGODlh",
                ImageError::WrongType { declared: "image/jpg".into(), actual: Some("image/gif") },
            ),
            (
                "data:image/pjpeg;base64,/9j/",
                ImageError::WrongType { declared: "image/pjpeg".into(), actual: Some("image/jpeg") },
            ),
            ("data:image/png;base64,!!", ImageError::NotBase64 { offset: 22 }),
            ("data:image/png;base64,iVBORw0KGgo", ImageError::NotBase64 { offset: 33 }),
            ("data:image/png;base64,", ImageError::Empty),
            ("data:image/png;base64,aGk=", ImageError::WrongType { declared: "image/png".into(), actual: None }),
        ] {
            assert_eq!(Image::from_data_url(url, IMAGE_LIMIT), Err(error), "{url}");
        }
    }

    #[test]
    fn base64_is_checked_to_its_end_in_pieces_that_make_no_difference() {
        let start = "data:image/gif;base64,".len();
        for length in [0, 4, PIECE - 12, PIECE - 8, PIECE - 4, PIECE, 2 * PIECE - 8, 2 * PIECE, 2 * PIECE + 4] {
            let whole = format!("data:image/gif;base64,R0lGODlh{}", "AAAA".repeat(length / 4));
            for end in ["", "AA==", "AAA="] {
                assert!(Image::from_data_url(&format!("{whole}{end}"), IMAGE_LIMIT).is_ok(), "{length} {end}");
            }
            for (end, valid) in [("A", 1), ("AA", 2), ("AA=", 2), ("AA=A", 2), ("AA==AAAA", 2), ("A\nAA", 1), (" ", 0)]
            {
                let url = format!("{whole}{end}");
                match Image::from_data_url(&url, IMAGE_LIMIT) {
                    // Where something is missing, the end of the URL is as good an offset.
                    Err(ImageError::NotBase64 { offset }) => {
                        assert!((whole.len() + valid..=url.len()).contains(&offset), "{length} {end:?}: {offset}");
                    }
                    other => panic!("{length} {end:?}: {other:?}"),
                }
            }
            assert!(whole.len() - start >= 8);
        }
    }
}
