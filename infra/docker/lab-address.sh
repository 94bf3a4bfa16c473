#!/bin/sh
# Run by the nginx image after it has rendered the templates: the lab address exists only when the lab is enabled.
[ "$LAB_ENABLED" = true ] || rm -f /etc/nginx/conf.d/lab.conf
