/** Error codes of RFC 9113, 7. */
export const errorCodes = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

/**
 * The server violated the protocol. The connection is closed with a GOAWAY that has the code, and callers get a
 * `TransportError`.
 */
export class Http2Error extends Error {
  override readonly name = 'Http2Error';
  readonly http2Code: number;

  constructor(message: string, http2Code: number = errorCodes.protocolError) {
    super(`the server violated HTTP/2: ${message}`);
    this.http2Code = http2Code;
  }
}
