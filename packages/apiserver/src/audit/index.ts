/**
 * The audit log: which user requested what, when, and with what result. `AuditPolicy` decides how much of each request
 * is recorded, `withAudit` collects it in the filter chain, and `AuditLog` writes it. Start at `open-audit.ts`.
 */
export { openAudit } from './open-audit.ts';
export { type Audit, withAudit, withFailedAuthenticationAudit } from './with-audit.ts';
