//! Images that go with a reply.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use serde::{Deserialize, Serialize};

/// How many bytes an image may have as a data URL, unless the host says otherwise: 20 MiB.
pub const IMAGE_LIMIT: usize = 20 << 20;

/// How much of an image tells its type.
const HEAD: usize = 64;

/// How much base64 is looked at at once, in whole groups of four.
const PIECE: usize = 4096;

/// An image, as a data URL that is kept byte for byte.
///
/// Its type is one of four, and what its bytes say it is.
///
/// ```
/// use followup::dialogue::{IMAGE_LIMIT, Image, ImageError};
///
/// let image = Image::from_bytes(b"\x89PNG\r\n\x1a\n rest of it", IMAGE_LIMIT)?;
/// assert_eq!(image.media_type(), "image/png");
/// assert_eq!(Image::from_data_url(image.data_url(), IMAGE_LIMIT)?, image);
///
/// let lies = image.data_url().replace("image/png", "image/gif");
/// assert_eq!(
///     Image::from_data_url(&lies, IMAGE_LIMIT),
///     Err(ImageError::OtherType { said: "image/gif".into(), is: Some("image/png") })
/// );
/// # Ok::<(), ImageError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Image {
    url: String,
    kind: Kind,
    /// Where in the URL the base64 begins.
    data: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Png, Kind::Jpeg, Kind::Gif, Kind::WebP];

    /// What the bytes are.
    fn of(bytes: &[u8]) -> Option<Kind> {
        let kind = infer::get(&bytes[..bytes.len().min(HEAD)])?.mime_type();
        Kind::ALL.into_iter().find(|known| known.media_type() == kind).filter(|kind| kind.has_signature(bytes))
    }

    /// Whether they begin with the whole of its signature: `infer` looks at three or four bytes, and text may begin with those.
    fn has_signature(self, bytes: &[u8]) -> bool {
        match self {
            Kind::Png => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
            Kind::Jpeg => bytes.starts_with(b"\xFF\xD8\xFF"),
            Kind::Gif => bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
            Kind::WebP => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        }
    }

    /// What a media type says, in any case; `image/jpg`, which many write, is JPEG.
    fn said(media_type: &str) -> Option<Kind> {
        let is = |one: &str| media_type.eq_ignore_ascii_case(one);
        if is("image/jpg") {
            return Some(Kind::Jpeg);
        }
        Kind::ALL.into_iter().find(|known| is(known.media_type()))
    }

    fn media_type(self) -> &'static str {
        match self {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
            Kind::Gif => "image/gif",
            Kind::WebP => "image/webp",
        }
    }
}

/// An image that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageError {
    /// It has more bytes than that, as a data URL.
    TooLarge {
        /// How many it has.
        bytes: usize,
        /// How many it may have.
        limit: usize,
    },
    /// It has no bytes.
    Empty,
    /// It is no `data:image/…;base64,…`.
    NoDataUrl,
    /// What stands behind the comma is no base64.
    NoBase64 {
        /// From where on in the data URL, in bytes: the first character that is no digit of base64, or the end, if something is missing there.
        at: usize,
    },
    /// Its bytes are no PNG, JPEG, GIF or WebP.
    UnknownType,
    /// It is said to be of one type, and its bytes are of another.
    OtherType {
        /// What it is said to be.
        said: String,
        /// What it is, if that is known.
        is: Option<&'static str>,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageError::TooLarge { bytes, limit } => {
                write!(f, "the image has {bytes} bytes as a data URL, and may have {limit}: make it smaller")
            }
            ImageError::Empty => f.write_str("the image is empty: it has no bytes"),
            ImageError::NoDataUrl => f.write_str("the image is no data URL: it should begin with data:image/…;base64,"),
            ImageError::NoBase64 { at } => write!(
                f,
                "the image's data is no base64 from byte {at} of the data URL on: it should be whole, padded, and without white space"
            ),
            ImageError::UnknownType => f.write_str("the image is no PNG, JPEG, GIF or WebP: convert it to one of them"),
            ImageError::OtherType { said, is: Some(is) } => {
                write!(f, "the image is said to be {}, but is {is}: call it that", Beginning(said))
            }
            ImageError::OtherType { said, is: None } => write!(
                f,
                "the image is said to be {}, but is no PNG, JPEG, GIF or WebP: convert it to one of them",
                Beginning(said)
            ),
        }
    }
}

impl core::error::Error for ImageError {}

/// As much of a type as fits into a message: it may be as long as the URL.
struct Beginning<'a>(&'a str);

impl fmt::Display for Beginning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 40;
        let end = self.0.floor_char_boundary(MOST);
        f.write_str(&self.0[..end])?;
        if end < self.0.len() { f.write_str("…") } else { Ok(()) }
    }
}

impl Image {
    /// The image with these bytes. Cost: linear; a copy as base64, and of one that is too large none.
    ///
    /// Of the bytes only the first are looked at: what stands behind them, and whether it is all of the image, is not known.
    ///
    /// # Errors
    ///
    /// If it is too large, empty, or of no known type.
    pub fn from_bytes(bytes: &[u8], limit: usize) -> Result<Image, ImageError> {
        if bytes.is_empty() {
            return Err(ImageError::Empty);
        }
        let kind = Kind::of(bytes).ok_or(ImageError::UnknownType)?;
        let mut url = format!("data:{};base64,", kind.media_type());
        let data = url.len();
        let whole = bytes.len().div_ceil(3).saturating_mul(4).saturating_add(data);
        if whole > limit {
            return Err(ImageError::TooLarge { bytes: whole, limit });
        }
        STANDARD.encode_string(bytes, &mut url);
        Ok(Image { url, kind, data })
    }

    /// The image of a data URL, which is kept as it is. Cost: linear; a copy, and of one that is too large none.
    ///
    /// `data:`, the type and `base64` may be written in any case, and `image/jpg` is JPEG.
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
    /// If it is too large, is no data URL of an image in base64, is empty, or says another type than its bytes.
    pub fn from_data_url(url: &str, limit: usize) -> Result<Image, ImageError> {
        if url.len() > limit {
            return Err(ImageError::TooLarge { bytes: url.len(), limit });
        }
        let (kind, data) = checked(url)?;
        Ok(Image { url: url.into(), kind, data })
    }

    /// The data URL, as it was given.
    pub fn data_url(&self) -> &str {
        &self.url
    }

    /// Its type: `image/png`, `image/jpeg`, `image/gif` or `image/webp`, however the URL writes it.
    pub fn media_type(&self) -> &'static str {
        self.kind.media_type()
    }

    /// Its bytes as base64, with its padding: what stands behind the comma of the URL.
    pub fn base64(&self) -> &str {
        &self.url[self.data..]
    }
}

/// What the image of a data URL is, and where in the URL its base64 begins.
fn checked(url: &str) -> Result<(Kind, usize), ImageError> {
    let inside = without_prefix(url, "data:").ok_or(ImageError::NoDataUrl)?;
    let (header, data) = inside.split_once(',').ok_or(ImageError::NoDataUrl)?;
    let mut header = header.split(';');
    let said = header.next().unwrap_or_default();
    let is_base64 = header.next_back().is_some_and(|last| last.eq_ignore_ascii_case("base64"));
    if without_prefix(said, "image/").is_none() || !is_base64 {
        return Err(ImageError::NoDataUrl);
    }
    if data.is_empty() {
        return Err(ImageError::Empty);
    }
    let begin = url.len() - data.len();
    let head = decoded_head(data.as_bytes()).map_err(|at| ImageError::NoBase64 { at: begin + at })?;
    match Kind::of(&head) {
        Some(kind) if Kind::said(said) == Some(kind) => Ok((kind, begin)),
        is => Err(ImageError::OtherType { said: said.into(), is: is.map(Kind::media_type) }),
    }
}

/// What the base64 begins with, decoded. All of it is looked at, so that nothing is sent that the provider can't read, but in pieces: of
/// megabytes no copy is made. Fails with the place from which on it is no base64.
fn decoded_head(data: &[u8]) -> Result<Vec<u8>, usize> {
    let mut decoded = [0; PIECE / 4 * 3];
    let mut head = Vec::new();
    for (nth, piece) in data.chunks(PIECE).enumerate() {
        let begin = nth * PIECE;
        let is_last = begin + piece.len() == data.len();
        let written = STANDARD.decode_slice(piece, &mut decoded);
        // Padding in front of the last piece has more behind it.
        let length = match written {
            Ok(length) if is_last || length == decoded.len() => length,
            _ => {
                let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
                return Err(begin + piece.iter().position(|&byte| !is_digit(byte)).unwrap_or(piece.len()));
            }
        };
        if nth == 0 {
            head.extend(decoded[..length].iter().take(HEAD));
        }
    }
    Ok(head)
}

/// What stands behind the prefix, which may be written in any case.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (found, rest) = text.split_at_checked(prefix.len())?;
    found.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Not its megabytes.
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
        // It was let in once; and who has read it has room for it.
        let (kind, data) = checked(&url)?;
        Ok(Image { url, kind, data })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn the_type_is_what_the_bytes_say() {
        for (bytes, is) in [
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
            assert_eq!(image.as_ref().ok().map(Image::media_type), is);
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
    fn a_data_url_may_be_written_in_any_case_and_is_kept_as_it_is() {
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
    fn what_is_no_image_says_why() {
        for (url, error) in [
            ("", ImageError::NoDataUrl),
            ("https://a/b.png", ImageError::NoDataUrl),
            ("data:image/png,abc", ImageError::NoDataUrl),
            ("data:text/plain;base64,aGk=", ImageError::NoDataUrl),
            ("dat", ImageError::NoDataUrl),
            ("datå:image/png;base64,", ImageError::NoDataUrl),
            ("data:image/gif;base64,/9j/", ImageError::OtherType { said: "image/gif".into(), is: Some("image/jpeg") }),
            (
                "data:image/jpg;base64,R0lGODlh",
                ImageError::OtherType { said: "image/jpg".into(), is: Some("image/gif") },
            ),
            (
                "data:image/pjpeg;base64,/9j/",
                ImageError::OtherType { said: "image/pjpeg".into(), is: Some("image/jpeg") },
            ),
            ("data:image/png;base64,!!", ImageError::NoBase64 { at: 22 }),
            ("data:image/png;base64,iVBORw0KGgo", ImageError::NoBase64 { at: 33 }),
            ("data:image/png;base64,", ImageError::Empty),
            ("data:image/png;base64,aGk=", ImageError::OtherType { said: "image/png".into(), is: None }),
        ] {
            assert_eq!(Image::from_data_url(url, IMAGE_LIMIT), Err(error), "{url}");
        }
    }

    /// The pieces in which it is looked at are not seen.
    #[test]
    fn base64_is_checked_to_its_end_wherever_a_piece_ends() {
        let begin = "data:image/gif;base64,".len();
        for length in [0, 4, PIECE - 12, PIECE - 8, PIECE - 4, PIECE, 2 * PIECE - 8, 2 * PIECE, 2 * PIECE + 4] {
            let whole = format!("data:image/gif;base64,R0lGODlh{}", "AAAA".repeat(length / 4));
            for end in ["", "AA==", "AAA="] {
                assert!(Image::from_data_url(&format!("{whole}{end}"), IMAGE_LIMIT).is_ok(), "{length} {end}");
            }
            for (end, behind) in [("A", 1), ("AA", 2), ("AA=", 2), ("AA=A", 2), ("AA==AAAA", 2), ("A\nAA", 1), (" ", 0)]
            {
                let url = format!("{whole}{end}");
                match Image::from_data_url(&url, IMAGE_LIMIT) {
                    // Where something is missing, the end of what is there is as good a place.
                    Err(ImageError::NoBase64 { at }) => {
                        assert!((whole.len() + behind..=url.len()).contains(&at), "{length} {end:?}: {at}");
                    }
                    other => panic!("{length} {end:?}: {other:?}"),
                }
            }
            assert!(whole.len() - begin >= 8);
        }
    }
}
