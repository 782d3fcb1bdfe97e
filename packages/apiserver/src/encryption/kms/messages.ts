import { bytes, int64, type MessageOf, many, message, text } from '@coxswain/storage/protobuf';

/* What is said to a KMS plug-in (`v2.KeyManagementService`), and what is stored of it. */

const Annotation = message({ key: text(1), value: bytes(2) });
export type Annotations = MessageOf<typeof Annotation>[];

export const StatusRequest = message({});
export const StatusResponse = message({ version: text(1), healthz: text(2), keyId: text(3) });
export const EncryptRequest = message({ plaintext: bytes(1), uid: text(2) });
export const EncryptResponse = message({ ciphertext: bytes(1), keyId: text(2), annotations: many(3, Annotation) });
export const DecryptRequest = message({
  ciphertext: bytes(1),
  uid: text(2),
  keyId: text(3),
  annotations: many(4, Annotation),
});
export const DecryptResponse = message({ plaintext: bytes(1) });

export const EncryptedObject = message({
  encryptedData: bytes(1),
  keyId: text(2),
  encryptedDEKSource: bytes(3),
  annotations: many(4, Annotation),
  encryptedDEKSourceType: int64(5),
});
export type EncryptedObject = MessageOf<typeof EncryptedObject>;

/** The data is encrypted with the key itself. */
export const keySource = 0;
/** Each value with a key made of the seed and of bytes before the value. */
export const seedSource = 1;
