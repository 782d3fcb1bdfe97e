import { inspect } from 'node:util';
import type { Credential } from '../../config/rest-config.ts';

/** A credential that shows only the names of its fields when it is printed, logged or converted to JSON. */
class SecretCredential implements Credential {
  declare readonly token?: string;
  declare readonly basic?: NonNullable<Credential['basic']>;
  declare readonly clientCertificate?: NonNullable<Credential['clientCertificate']>;

  constructor(fields: Credential) {
    if (fields.token) this.token = fields.token;
    if (fields.basic) this.basic = fields.basic;
    if (fields.clientCertificate) this.clientCertificate = fields.clientCertificate;
  }

  toString(): string {
    return `Credential(${Object.keys(this).join(', ')})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

export const secretCredential = (fields: Credential): Credential => new SecretCredential(fields);
