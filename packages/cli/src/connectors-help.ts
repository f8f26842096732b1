export const CONNECTORS_HELP = `carabiner connectors: the files that describe third parties. See docs/connectors.md.

  carabiner connectors check [FILE|FOLDER …]   judge connector files; without any, the shipped ones and CONNECTORS_DIRECTORY

  carabiner connectors import DOCUMENT         make a connector file of an OpenAPI 3.0 or 3.1 document (YAML or JSON)
    --out FOLDER                               where to write it (CONNECTORS_DIRECTORY)
    --slug SLUG, --name NAME                   what to call it (by the document's title)
    --include PATTERN                          only operations whose path, id or tag fits, such as '/pets*'; may be repeated
    --max N                                    at most N tools (60)
    --server URL                               the address, where the document does not say it
    --identity PATH                            the GET that says whose credential it is, such as /me
    --force                                    replace a file that is there

  --json                                       print JSON`
