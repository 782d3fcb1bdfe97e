/** The data is no object of its kind. The message is what upstream would say. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
