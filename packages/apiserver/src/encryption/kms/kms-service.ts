import { connect } from '@coxswain/grpc';
import { keyManagementService, type WrappedKey } from './messages.ts';

/** A client of the KMS plug-in that wraps keys. Every call rejects on failure or timeout. */
export interface KmsService {
  status(): Promise<{ readonly version: string; readonly healthz: string; readonly keyId: string }>;
  encrypt(key: Uint8Array, uid: string): Promise<WrappedKey>;
  decrypt(wrapped: WrappedKey, uid: string): Promise<Uint8Array>;
  close(): void;
}

/** Connects to a plug-in at a Unix socket: `unix:///run/kms.sock`. */
export async function openKmsService(endpoint: string, timeoutMs: number): Promise<KmsService> {
  const connection = await connect(endpoint, { waitForReady: true });
  const calls = connection.service(keyManagementService);
  return {
    status: () => calls.status({}, { timeoutMs }),
    encrypt: (plaintext, uid) => calls.encrypt({ plaintext, uid }, { timeoutMs }),
    decrypt: async (wrapped, uid) => (await calls.decrypt({ ...wrapped, uid }, { timeoutMs })).plaintext,
    close: () => connection.close(),
  };
}
