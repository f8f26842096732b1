import { approvalOperations } from './approvals.ts'
import { auditTrailOperations } from './audit-trail.ts'
import { connectorOperations } from './connectors.ts'
import { credentialOperations } from './credentials.ts'
import { customConnectorOperations } from './custom-connectors.ts'
import { eventOperations } from './events.ts'
import { explainOperations } from './explain.ts'
import { linkCustomizationOperations } from './link-customization.ts'
import { linkingOperations } from './linking.ts'
import { mcpKeyOperations } from './mcp-keys.ts'
import { memberOperations } from './members.ts'
import { oauthAppOperations } from './oauth-apps.ts'
import { organizationOperations } from './organization.ts'
import { policyOperations } from './policies.ts'
import { registeredUserOperations } from './registered-users.ts'
import { securityGatewayOperations } from './security-gateway.ts'
import { signInOperations } from './sign-in.ts'
import { toolCallOperations } from './tool-calls.ts'
import { toolPackOperations } from './tool-packs.ts'
import { usageOperations } from './usage.ts'
import { webhookOperations } from './webhooks.ts'

/** All operations of the API, by their names. */
export const operations = {
  ...organizationOperations,
  ...memberOperations,
  ...linkCustomizationOperations,
  ...connectorOperations,
  ...customConnectorOperations,
  ...oauthAppOperations,
  ...toolPackOperations,
  ...policyOperations,
  ...approvalOperations,
  ...securityGatewayOperations,
  ...registeredUserOperations,
  ...credentialOperations,
  ...linkingOperations,
  ...mcpKeyOperations,
  ...signInOperations,
  ...explainOperations,
  ...auditTrailOperations,
  ...toolCallOperations,
  ...usageOperations,
  ...eventOperations,
  ...webhookOperations,
}

export { MAX_VERIFIED_ENTRIES } from './audit-trail.ts'
export { exampleBodies } from './example-bodies.ts'
export { LINK_TOKEN_TTL_MS } from './linking.ts'
export {
  type Audited,
  type BodyOf,
  type ManagementTool,
  type Method,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  TAGS,
  type Tag,
  type ValuePath,
} from './operation.ts'
