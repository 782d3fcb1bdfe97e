import { DelegatedRequest } from '../http/delegated-request.ts';

/** A request that keeps its body after it was read, for the audit log. */
export class RecordedRequest extends DelegatedRequest {
  /** Undefined until the body was read. */
  body: Uint8Array | undefined;

  override async readBody(maxBytes: number): Promise<Uint8Array> {
    this.body = await this.request.readBody(maxBytes);
    return this.body;
  }
}
