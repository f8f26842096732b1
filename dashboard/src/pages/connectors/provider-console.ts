/** Where developers register an OAuth app, by the slugs of connectors. */
const CONSOLES: readonly [slugs: RegExp, name: string, url: string][] = [
  [
    /^(gmail|youtube|google-.*)$/,
    'Google Cloud console',
    'https://console.cloud.google.com/apis/credentials',
  ],
  [
    /^(outlook|onedrive|sharepoint|microsoft-.*)$/,
    'Microsoft Entra admin center',
    'https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade',
  ],
  [/^(jira|confluence)$/, 'Atlassian developer console', 'https://developer.atlassian.com/console/myapps/'],
  [/^slack$/, 'Slack API apps', 'https://api.slack.com/apps'],
  [/^github$/, 'GitHub developer settings', 'https://github.com/settings/developers'],
  [/^linear$/, 'Linear API settings', 'https://linear.app/settings/api'],
  [/^notion$/, 'Notion integrations', 'https://www.notion.so/profile/integrations'],
  [/^hubspot$/, 'HubSpot developer account', 'https://app.hubspot.com/developer'],
  [/^dropbox$/, 'Dropbox App Console', 'https://www.dropbox.com/developers/apps'],
  [/^zoom$/, 'Zoom App Marketplace', 'https://marketplace.zoom.us/develop/create'],
  [/^asana$/, 'Asana developer console', 'https://app.asana.com/0/my-apps'],
  [/^figma$/, 'Figma developers', 'https://www.figma.com/developers/apps'],
  [/^discord$/, 'Discord developer portal', 'https://discord.com/developers/applications'],
  [/^xero$/, 'Xero developer portal', 'https://developer.xero.com/app/manage'],
  [/^quickbooks$/, 'Intuit developer portal', 'https://developer.intuit.com/app/developer/dashboard'],
]

export const consoleOf = (slug: string): { name: string; url: string } | null => {
  const found = CONSOLES.find(([slugs]) => slugs.test(slug))
  return found ? { name: found[1], url: found[2] } : null
}
