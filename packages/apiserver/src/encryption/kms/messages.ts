import { unary } from '@coxswain/grpc';
import { bytes, int64, type MessageOf, many, message, struct, text } from '@coxswain/grpc/protobuf';

/* The messages of a KMS plug-in (`v2.KeyManagementService`), and the stored form of its values. */

interface Annotation {
  readonly key: string;
  readonly value: Uint8Array;
}
const Annotation = struct<Annotation>(() => ({ key: text(1), value: bytes(2) }));
export type Annotations = readonly Annotation[];

interface KmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

/** A key or seed, encrypted by the plug-in. */
export interface WrappedKey {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

const StatusRequest = struct<object>(() => ({}));
const StatusResponse = struct<KmsStatus>(() => ({ version: text(1), healthz: text(2), keyId: text(3) }));
const EncryptRequest = struct<{ readonly plaintext: Uint8Array; readonly uid: string }>(() => ({
  plaintext: bytes(1),
  uid: text(2),
}));
const EncryptResponse = struct<WrappedKey>(() => ({
  ciphertext: bytes(1),
  keyId: text(2),
  annotations: many(3, Annotation),
}));
const DecryptRequest = struct<WrappedKey & { readonly uid: string }>(() => ({
  ciphertext: bytes(1),
  uid: text(2),
  keyId: text(3),
  annotations: many(4, Annotation),
}));
const DecryptResponse = struct<{ readonly plaintext: Uint8Array }>(() => ({ plaintext: bytes(1) }));

export const keyManagementService = {
  name: 'v2.KeyManagementService',
  methods: {
    status: unary('Status', StatusRequest, StatusResponse),
    encrypt: unary('Encrypt', EncryptRequest, EncryptResponse),
    decrypt: unary('Decrypt', DecryptRequest, DecryptResponse),
  },
};

export const EncryptedObject = message({
  encryptedData: bytes(1),
  keyId: text(2),
  encryptedDEKSource: bytes(3),
  annotations: many(4, Annotation),
  encryptedDEKSourceType: int64(5),
});
export type EncryptedObject = MessageOf<typeof EncryptedObject>;

/** The data is encrypted with the unwrapped key itself. */
export const keySource = 0;
/** The data is encrypted with a key derived from the unwrapped seed and the bytes stored before the data. */
export const seedSource = 1;
