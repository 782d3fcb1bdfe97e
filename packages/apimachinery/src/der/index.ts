/** DER and PEM, the encodings of certificates and keys. */
export { type DerElement, DerReader, derTags, toHex, X509Error } from './der-reader.ts';
export {
  derBitString,
  derContext,
  derElement,
  derInteger,
  derNull,
  derOctetString,
  derOid,
  derSequence,
  derSet,
  derTime,
  derTrue,
  derUtf8String,
} from './der-writer.ts';
export { type PemBlock, pemBlocks, pemText } from './pem.ts';
