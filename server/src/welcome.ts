import type { Demo } from './first-boot.ts'

type Welcome = {
  baseUrl: string
  sandboxUrl: string | undefined
  database: string
  milliseconds: number
  demo: Demo | null
}

/** What a person needs to see once the service is ready, and nothing else. */
export const welcome = ({ baseUrl, sandboxUrl, database, milliseconds, demo }: Welcome): string => {
  const lines = [
    `Carabiner is ready (${(milliseconds / 1000).toFixed(1)} s).`,
    '',
    `  Service    ${baseUrl}`,
    `  API        ${baseUrl}/api/v1/openapi.json`,
    ...(sandboxUrl ? [`  Sandbox    ${sandboxUrl}  (a third party to link with, development only)`] : []),
    `  Database   ${database}`,
  ]
  return `${[...lines, ...(demo ? demoLines(baseUrl, demo) : []), ''].join('\n')}\n`
}

const demoLines = (baseUrl: string, demo: Demo): string[] => [
  '',
  `  Organization      ${demo.organization_name}  ${demo.organization_id}`,
  `  Test key          ${demo.test_key}`,
  `  Registered User   ${demo.registered_user_name}  ${demo.registered_user_id}`,
  '',
  'Mint a magic link, then open its magic_link_url in a browser:',
  '',
  `  curl -s -X POST ${baseUrl}/api/registered-users/${demo.registered_user_id}/link-token \\`,
  `    -H 'Authorization: Bearer ${demo.test_key}'`,
  '',
  'Or connect accounts from inside an application (http://localhost:5300):',
  '',
  `  CARABINER_API_KEY=${demo.test_key} npm start -w @carabiner/example-react-settings`,
]
