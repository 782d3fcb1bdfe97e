import { AuditLog, type AuditLogOptions, type AuditOutput } from './audit-log.ts';
import { loadAuditPolicy } from './parse-audit-policy.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';
import type { Audit } from './with-audit.ts';

/** What the flags `--audit-*` say. */
interface AuditFileOptions extends Omit<AuditLogOptions, 'output'>, Omit<RotatingFileOptions, 'report'> {
  readonly policyFile: string;
  /** `-` is standard output. */
  readonly path: string;
  readonly info: (message: string) => void;
}

/** Reads the policy and opens the log. Throws an Error that names the file at fault. */
export async function openAudit(options: AuditFileOptions): Promise<Audit> {
  const policy = await loadAuditPolicy(options.policyFile, options.info);
  const output = options.path === '-' ? standardOutput : await RotatingFile.open(options);
  return { policy, log: new AuditLog({ ...options, output }) };
}

const standardOutput: AuditOutput = {
  append: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => {},
};
