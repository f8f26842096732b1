import { Type } from 'typebox'
import {
  Page,
  RegisteredUser,
  RegisteredUserCreate,
  RegisteredUserPatch,
  RegisteredUsers,
} from '../resources.ts'
import { declareOperations } from './operation.ts'

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'
const ListQuery = Type.Object(
  {
    ...Page.Query.properties,
    origin_user_id: Type.Optional(Type.String({ maxLength: 255 })),
    ids: Type.Optional(
      Type.String({
        pattern: `^${UUID}(,${UUID}){0,99}$`,
        description: 'IDs of up to 100 users, separated by commas. IDs of other users are ignored.',
      }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description:
          'The beginning of a name, an email address or an `origin_user_id`, in upper or lower case. Considers up to 1,000 matches of each.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** For names, addresses and metadata, the audit trail records just the name of the field. */
const auditedFields = ['is_active', 'rate_limit_per_minute'] as const

export const registeredUserOperations = declareOperations('Registered Users', {
  listRegisteredUsers: {
    route: 'GET /registered-users',
    client: 'registeredUsers.list',
    summary: 'List Registered Users',
    description: 'Oldest first.',
    query: ListQuery,
    responses: { 200: RegisteredUsers },
    errors: ['invalid_cursor', 'invalid_request'],
    tool: { name: 'list_registered_users', access: 'read' },
  },
  createRegisteredUser: {
    route: 'POST /registered-users',
    group: 'users',
    client: 'registeredUsers.upsert',
    summary: 'Create or update a Registered User',
    description:
      'Creates the user, or updates the one with this `origin_user_id`. Safe to call at every sign-in.',
    body: RegisteredUserCreate,
    responses: { 200: RegisteredUser, 201: RegisteredUser },
    errors: ['plan_required'],
    registeredUser: 'response.id',
    audit: {
      action: 'registered_user.created',
      actionOn: { 200: 'registered_user.updated' },
      target: 'response.id',
      values: auditedFields,
    },
    tool: { name: 'save_registered_user', access: 'write' },
  },
  getRegisteredUser: {
    route: 'GET /registered-users/{id}',
    client: 'registeredUsers.get',
    summary: 'Retrieve a Registered User',
    responses: { 200: RegisteredUser },
    errors: ['registered_user_not_found'],
    tool: { name: 'get_registered_user', access: 'read' },
  },
  updateRegisteredUser: {
    route: 'PATCH /registered-users/{id}',
    group: 'users',
    client: 'registeredUsers.update',
    summary: 'Update a Registered User',
    description: 'Setting is_active to false revokes the credentials of the user.',
    body: RegisteredUserPatch,
    responses: { 200: RegisteredUser },
    errors: ['registered_user_not_found', 'plan_required'],
    audit: {
      action: 'registered_user.updated',
      target: 'params.id',
      values: auditedFields,
    },
  },
  deleteRegisteredUser: {
    route: 'DELETE /registered-users/{id}',
    group: 'users',
    client: 'registeredUsers.delete',
    summary: 'Delete a Registered User',
    description: 'Deletes the user and all of their data. This cannot be undone.',
    responses: { 204: Type.Null() },
    errors: ['registered_user_not_found'],
    audit: { action: 'registered_user.deleted', target: 'params.id' },
  },
})
