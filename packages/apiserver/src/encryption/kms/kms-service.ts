import type { Message } from '@coxswain/storage/protobuf';
import type { Client } from '@grpc/grpc-js';
import {
  type Annotations,
  DecryptRequest,
  DecryptResponse,
  EncryptRequest,
  EncryptResponse,
  StatusRequest,
  StatusResponse,
} from './messages.ts';

interface KmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface WrappedKey {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** Whoever keeps the key that keys are encrypted with. Every call rejects when it fails or takes too long. */
export interface KmsService {
  status(): Promise<KmsStatus>;
  encrypt(key: Uint8Array, uid: string): Promise<WrappedKey>;
  decrypt(wrapped: WrappedKey, uid: string): Promise<Uint8Array>;
  close(): void;
}

/** A plug-in at a Unix socket: `unix:///run/kms.sock`. */
export async function openKmsService(endpoint: string, timeoutMs: number): Promise<KmsService> {
  // Large, and needed by few.
  const { Client: GrpcClient, credentials } = await import('@grpc/grpc-js');
  const target = `unix:${endpoint.replace(/^unix:(\/\/)?/, '')}`;
  const client: Client = new GrpcClient(target, credentials.createInsecure(), {
    'grpc.default_authority': 'localhost',
    'grpc.max_reconnect_backoff_ms': 3_000,
    'grpc.service_config_disable_resolution': 1,
  });
  const call = <Request, Response>(
    method: string,
    request: Message<Request>,
    response: Message<Response>,
    body: Request,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/v2.KeyManagementService/${method}`,
        (encoded: Buffer) => encoded,
        response.decode,
        request.encode(body),
        { deadline: Date.now() + timeoutMs, waitForReady: true } as object,
        (error, answer) => (answer === undefined ? reject(error) : resolve(answer)),
      );
    });
  return {
    status: async () => {
      const { version = '', healthz = '', keyId = '' } = await call('Status', StatusRequest, StatusResponse, {});
      return { version, healthz, keyId };
    },
    encrypt: async (plaintext, uid) => {
      const answer = await call('Encrypt', EncryptRequest, EncryptResponse, { plaintext, uid });
      const { ciphertext = new Uint8Array(), keyId = '', annotations = [] } = answer;
      return { ciphertext, keyId, annotations };
    },
    decrypt: async ({ ciphertext, keyId, annotations }, uid) => {
      const request = { ciphertext, uid, keyId, annotations };
      const { plaintext = new Uint8Array() } = await call('Decrypt', DecryptRequest, DecryptResponse, request);
      return plaintext;
    },
    close: () => client.close(),
  };
}
