import type * as contract from '@carabiner/contract'
import type { Static } from 'typebox'

/**
 * Request and response types of the API, derived from the schemas that validate its routes. The build expands each into a plain
 * type, so that the published package depends neither on the schemas nor on their library. They are interfaces because
 * interfaces keep their names in declarations and editors; a union cannot be one.
 */
export interface Organization extends Static<typeof contract.Organization> {}
export interface OrganizationPatch extends Static<typeof contract.OrganizationPatch> {}
export interface ApiKey extends Static<typeof contract.ApiKey> {}
export interface NewApiKey extends Static<typeof contract.NewApiKey> {}
export interface ApiKeyCreate extends Static<typeof contract.ApiKeyCreate> {}
export interface CallbackOrigin extends Static<typeof contract.CallbackOrigin> {}
export interface CallbackUrlTested extends Static<typeof contract.CallbackUrlTested> {}
export interface LinkCustomization extends Static<typeof contract.LinkCustomization> {}
export interface LinkCustomizationPatch extends Static<typeof contract.LinkCustomizationPatch> {}
export interface LinkLogo extends Static<typeof contract.LinkLogo> {}
export interface LinkPreview extends Static<typeof contract.LinkPreview> {}
export interface Connector extends Static<typeof contract.Connector> {}
export interface OAuthAppPut extends Static<typeof contract.OAuthAppPut> {}
export interface OAuthAppState extends Static<typeof contract.OAuthAppState> {}
export interface OAuthAppTest extends Static<typeof contract.OAuthAppTest> {}
export interface McpConnector extends Static<typeof contract.McpConnector> {}
export interface McpConnectorCreate extends Static<typeof contract.McpConnectorCreate> {}
export interface McpConnectorPatch extends Static<typeof contract.McpConnectorPatch> {}
export interface FoundTools extends Static<typeof contract.FoundTools> {}
export interface McpToolsState extends Static<typeof contract.McpToolsState> {}
export interface PendingToolsImpact extends Static<typeof contract.PendingToolsImpact> {}
export interface ToolPack extends Static<typeof contract.ToolPack> {}
export interface ToolPackWrite extends Static<typeof contract.ToolPackWrite> {}
export interface ToolPackPatch extends Static<typeof contract.ToolPackPatch> {}
export interface ToolPackTools extends Static<typeof contract.ToolPackTools> {}
export interface SecurityRules extends Static<typeof contract.SecurityRules> {}
export interface SecurityRulesWrite extends Static<typeof contract.SecurityRulesWrite> {}
export interface SecurityEntity extends Static<typeof contract.SecurityEntity> {}
export interface SecurityRulesTest extends Static<typeof contract.SecurityRulesTest> {}
export interface SecurityRulesTested extends Static<typeof contract.SecurityRulesTested> {}
export interface ExplainRequest extends Static<typeof contract.ExplainRequest> {}
export interface Explanation extends Static<typeof contract.Explanation> {}
export interface RuleViolation extends Static<typeof contract.RuleViolation> {}
export interface RuleViolationSummary extends Static<typeof contract.RuleViolationSummary> {}
export interface McpKey extends Static<typeof contract.McpKey> {}
export interface NewMcpKey extends Static<typeof contract.NewMcpKey> {}
export interface McpKeyCreate extends Static<typeof contract.McpKeyCreate> {}
export interface RegisteredUser extends Static<typeof contract.RegisteredUser> {}
export interface RegisteredUserCreate extends Static<typeof contract.RegisteredUserCreate> {}
export interface RegisteredUserPatch extends Static<typeof contract.RegisteredUserPatch> {}
export interface Credential extends Static<typeof contract.Credential> {}
export interface ConnectionsLink extends Static<typeof contract.ConnectionsLink> {}
export interface CredentialPause extends Static<typeof contract.CredentialPause> {}
export interface CredentialTest extends Static<typeof contract.CredentialTest> {}
export interface Revocation extends Static<typeof contract.Revocation> {}
export interface ToolCallRecord extends Static<typeof contract.ToolCallRecord> {}
export interface ToolCallDetail extends Static<typeof contract.ToolCallDetail> {}
export interface ToolCallFilter extends Static<typeof contract.ToolCallFilter> {}
export interface ToolCallSummary extends Static<typeof contract.ToolCallSummary> {}
export interface AffectedUsers extends Static<typeof contract.AffectedUsers> {}
export interface ResultFields extends Static<typeof contract.ResultFields> {}
export interface ViewTried extends Static<typeof contract.ViewTried> {}
export interface Usage extends Static<typeof contract.Usage> {}
export interface UsageCycle extends Static<typeof contract.UsageCycle> {}
export interface LinkTokenRequest extends Static<typeof contract.LinkTokenRequest> {}
export interface LinkToken extends Static<typeof contract.LinkToken> {}
export interface ConfirmRequest extends Static<typeof contract.ConfirmRequest> {}
export interface ConfirmedCredential extends Static<typeof contract.ConfirmedCredential> {}
export interface FoundLink extends Static<typeof contract.FoundLink> {}
export interface LinkSession extends Static<typeof contract.LinkSession> {}
export interface Member extends Static<typeof contract.Member> {}
export interface InvitedMember extends Static<typeof contract.InvitedMember> {}
export interface MemberInvite extends Static<typeof contract.MemberInvite> {}
export interface MemberPatch extends Static<typeof contract.MemberPatch> {}
export interface AuditEntry extends Static<typeof contract.AuditEntry> {}
export interface AuditVerification extends Static<typeof contract.AuditVerification> {}
export interface WebhookEndpoint extends Static<typeof contract.WebhookEndpoint> {}
export interface NewWebhookEndpoint extends Static<typeof contract.NewWebhookEndpoint> {}
export interface WebhookEndpointCreate extends Static<typeof contract.WebhookEndpointCreate> {}
export interface WebhookEndpointPatch extends Static<typeof contract.WebhookEndpointPatch> {}
export interface WebhookDelivery extends Static<typeof contract.WebhookDelivery> {}
export interface WebhookReplay extends Static<typeof contract.WebhookReplay> {}
export interface WebhookReplayResult extends Static<typeof contract.WebhookReplayResult> {}
export interface WebhookTest extends Static<typeof contract.WebhookTest> {}
export interface WebhookTestResult extends Static<typeof contract.WebhookTestResult> {}
// An alias of the contract's union would be printed under the contract's name in the declarations.
export type WebhookEvent = { [Kind in contract.EventType]: contract.EventOf<Kind> }[contract.EventType]
