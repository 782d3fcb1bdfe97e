import { DelegatedRequest } from '../http/delegated-request.ts';

/** A request whose body can be looked at once more when somebody has read it; not what is passed on to others. */
export class RecordedRequest extends DelegatedRequest {
  /** Absent until somebody read it. */
  body: Uint8Array | undefined;

  override async readBody(maxBytes: number): Promise<Uint8Array> {
    this.body = await this.request.readBody(maxBytes);
    return this.body;
  }
}
