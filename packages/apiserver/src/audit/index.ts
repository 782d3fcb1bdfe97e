/**
 * The audit log: who asked for what, when, and what came of it. `AuditPolicy` decides how much of which request is
 * written, `withAudit` gathers it on the way through the filters, `AuditLog` writes it. Start at `open-audit.ts`.
 */
export { openAudit } from './open-audit.ts';
export { type Audit, withAudit, withFailedAuthenticationAudit } from './with-audit.ts';
